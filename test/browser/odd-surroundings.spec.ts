import { createCaller, type Caller } from '../support/factories';
import { describeInBrowser } from './support/chromium';
import { madeUpStream } from './support/event-stream';
import { sidewaysOverflow } from './support/layout';
import { WebPage } from './support/web-page';
import { screenshot } from './support/screenshots';
import { UnreliableProxy } from './support/unreliable-proxy';
import { Visit } from './support/visit';

const BODY = { prompt: 'Say {input} in French.', input: 'good morning', models: ['sim-swift', 'sim-sage'] };

describeInBrowser('In odd surroundings the page works as on the first visit:', () => {
  let caller: Caller;
  let proxy: UnreliableProxy;
  beforeAll(async () => {
    caller = await createCaller();
    proxy = await UnreliableProxy.inFrontOf(caller.url);
  });
  beforeEach(() => proxy.clear());

  const ODD: Record<string, () => void> = {
    'storage that holds nonsense': () => {
      for (const name of ['mcs.draft', 'mcs.run', 'mcs.prefs']) {
        for (const [index, store] of [localStorage, sessionStorage].entries())
          store.setItem(
            name,
            index === 0
              ? '{"theme":7,"models":{"length":9},"formatted":"<b>"'
              : '{"prompt":["x"],"models":[[]],"request":{"prompt":1}}',
          );
      }
    },
    'storage that is blocked': () => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {
          get: () => {
            throw new DOMException('Blocked.', 'SecurityError');
          },
        });
    },
    'storage that is full': () => {
      Storage.prototype.setItem = () => {
        throw new DOMException('Full.', 'QuotaExceededError');
      };
    },
    'a clock that is a day behind': () => {
      const now = Date.now;
      Date.now = () => now() - 86_400_000;
    },
  };

  it.each(Object.entries(ODD))('%s', async (_name, prepare) => {
    const visit = await Visit.open({ url: proxy.url });
    await visit.page.addInitScript(prepare);
    const web = await WebPage.on(visit, { key: caller.key });
    await web.compare(BODY);
    expect(await web.phases()).toEqual(['ended', 'ended']);
    await web.end();
  });

  it('a service that is newer than the page: what is not known is passed over or shown, and nothing breaks', async () => {
    const web = await WebPage.open({ url: proxy.url, key: caller.key });
    await web.fill(BODY);
    async function* newer() {
      for await (const text of madeUpStream(
        BODY.prompt,
        BODY.models.map((model) => ({ model, pieces: ['Hello'] })),
      )) {
        yield 'event: thought\ndata: {"model":"sim-swift","text":"?"}\n\n: comment\n\n';
        yield text.replace(
          '"provider":',
          '"new_member":{"deep":[1]},"warnings":[{"code":"brand_new","message":"A warning of a later version."}],"provider":',
        );
      }
    }
    proxy.next('POST', /^\/api\/v1\/compare\?/, { stream: newer() });
    await web.run();
    await web.untilEnded(2);
    await web.page.getByText('A warning of a later version.').first().waitFor();
    web.visit.expects(418);
    proxy.next('POST', /^\/api\/v1\/compare\?/, {
      answer: {
        status: 418,
        body: '{"error":{"code":"brand_new","message":"A refusal of a later version.","more":1}}',
      },
    });
    await web.run();
    await web.banner.getByText('A refusal of a later version.').waitFor();
    await web.end();
  });

  it('a list of models with ids, names and prices of any kind', async () => {
    const { models } = (await caller.get('/api/v1/models?include=details')).body;
    const odd = ['vendor/model:1', '"quoted" \'id\'', '<b>bold</b>', 'x'.repeat(100)].map((id) => ({
      ...models[0],
      id,
      name: `<i>${id}</i>`,
      provider: 'a"b',
      input_per_1m: 1,
      output_per_1m: 2,
    }));
    const body = JSON.stringify({ models: [...models, ...odd] })
      .replace(/"input_per_1m":1,/g, '"input_per_1m":0.12345678901234567890,')
      .replace(/"output_per_1m":2,/g, '"output_per_1m":12345678901234567890.12,');
    proxy.next('GET', /^\/api\/v1\/models/, { answer: { status: 200, body } }, 100);
    const web = await WebPage.open({ url: proxy.url, key: caller.key, width: 390, touch: true });
    await web.page.getByRole('button', { name: /Choose models/ }).click();
    for (const { id } of odd) await web.page.getByRole('dialog').getByRole('checkbox', { name: id }).waitFor();
    expect(await sidewaysOverflow(web.page)).toMatchObject({ pixels: 0 });
    await web.page.getByRole('dialog').getByRole('checkbox', { name: '<b>bold</b>' }).check();
    await screenshot(web.page, 'odd-models-390');
    await web.page.getByRole('button', { name: 'Done' }).click();
    web.visit.expects(400);
    await web.prompt.fill('Hello');
    await web.page.getByText(/^No estimate: /).waitFor();
    await web.end();
  });
});
