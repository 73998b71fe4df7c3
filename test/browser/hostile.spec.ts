import type { Page } from 'playwright-core';
import { createCaller, eventually, type Caller } from '../support/factories';
import { describeInBrowser } from './support/chromium';
import { madeUpStream } from './support/event-stream';
import { sidewaysOverflow } from './support/layout';
import { WebPage } from './support/web-page';
import { screenshot } from './support/screenshots';
import { UnreliableProxy } from './support/unreliable-proxy';

const MODELS = ['sim-swift', 'sim-sage'];

/**
 * Everything that a page must never do with text. What runs sets `hacked`; what is requested has "hostile" in its
 * address.
 */
const PAYLOADS: Record<string, string> = {
  scripts: '<script>window.hacked=1</script><script src="/hostile.js"></script> <style>body{display:none}</style>',
  handlers:
    '<img src="/hostile.png" onerror="window.hacked=1"> <svg onload="window.hacked=1"></svg> <details open ontoggle="window.hacked=1">x</details> <b onclick="window.hacked=1" id="app">b</b>',
  links:
    '[a](javascript:window.hacked=1) [b](JaVaScRiPt&colon;window.hacked=1) [c](data:text/html,<script>window.hacked=1</script>) [d](vbscript:x) [e](https://example.com/hostile "t") <javascript:window.hacked=1> <https://example.com/hostile> [f](java\tscript:window.hacked=1) [g](//example.com/hostile) [h](/hostile)',
  images:
    '![x](/hostile.png) ![y](https://example.com/hostile.png) ![z](data:image/svg+xml,<svg onload=window.hacked=1>) [![i](/hostile-inner.png)](https://example.com/hostile)',
  forms:
    '<form action="/hostile"><input name="key" autofocus><button>Send</button></form> <iframe src="/hostile"></iframe> <object data="/hostile"></object> <base href="https://example.com/"> <meta http-equiv="refresh" content="0;url=/hostile">',
  'nested tables': `| a | b |\n|---|---|\n| ${'<table><tr><td>'.repeat(50)} | ${'[x]('.repeat(200)} |\n\n${'> '.repeat(300)}deep\n\n${'- '.repeat(200)}list\n\n${'*'.repeat(500)}x${'*'.repeat(500)}`,
  'ten thousand backticks': '`'.repeat(10_000),
  'ten thousand brackets': '['.repeat(5000) + '!['.repeat(2500),
  'bidirectional overrides': 'safe \u202eevil\u202c \u2066isolate \u202b embed \u200f\u061c end\nthe next line',
  'zero-width characters': `a${'\u200b'.repeat(500)}b${'\u2060\ufeff\u200d'.repeat(200)}c${'e\u0301\u0302\u0303\u0304\u0305'.repeat(100)}${'\u0336'.repeat(300)}`,
};

describeInBrowser('What a model or a user writes', () => {
  let caller: Caller;
  let proxy: UnreliableProxy;
  let web: WebPage;
  let page: Page;

  beforeAll(async () => {
    caller = await createCaller();
    proxy = await UnreliableProxy.inFrontOf(caller.url);
    // After a reload the page asks for the run that no service has run.
    web = await WebPage.open({ url: proxy.url, key: caller.key, expected: [404] });
    page = web.page;
  });
  afterAll(() => web.end());

  /** Nothing ran, nothing was requested, the text has only harmless elements, and the layout holds. */
  async function expectHarmless(where: string): Promise<void> {
    expect(
      await page.evaluate(
        (selector) => ({
          hacked: (window as { hacked?: unknown }).hacked,
          elements: [...document.querySelectorAll(selector)].flatMap((box) =>
            [
              ...box.querySelectorAll(
                'script, style, img, iframe, object, embed, form, input, svg:not(.icon), base, meta, link, video, audio',
              ),
            ].map(({ tagName }) => tagName),
          ),
          handlers: [...document.querySelectorAll('*')].flatMap((element) =>
            element.getAttributeNames().filter((name) => name.startsWith('on')),
          ),
          links: [...document.querySelectorAll('a')]
            .map(({ href }) => href)
            .filter((href) => !/^(https?|mailto):/.test(href)),
        }),
        where,
      ),
    ).toEqual({ hacked: undefined, elements: [], handlers: [], links: [] });
    expect(web.visit.requested.filter((path) => path.includes('hostile'))).toEqual([]);
    expect(await sidewaysOverflow(page)).toMatchObject({ pixels: 0 });
  }

  it.each(Object.entries(PAYLOADS))('is harmless as an answer, formatted and as text: %s', async (name, payload) => {
    await web.fill({ prompt: `[[sim:echo]]${payload}`, models: MODELS });
    await web.openOptions();
    await page.getByLabel('Max tokens').fill('4000');
    await web.run();
    await web.untilEnded(2);
    for (const form of ['Formatted', 'Text']) {
      await page.getByRole('button', { name: form, exact: true }).click();
      await expectHarmless('.answer-body');
      await screenshot(page, `hostile-${name.replaceAll(' ', '-')}-${form.toLowerCase()}`);
    }
    // As text it is complete to the last character, with a line break between two blocks.
    const shown = (await web.answer('sim-swift').locator('.answer-text > div').allTextContents()).join('\n');
    expect(shown).toContain(payload.trim());
    await page.getByRole('button', { name: 'Formatted', exact: true }).click();
  });

  it('keeps its column with 100,000 characters without a blank, and the links of an answer lead where they say', async () => {
    const text = 'x'.repeat(100_000);
    await web.fill({ prompt: 'Long.', models: MODELS });
    proxy.next('POST', /^\/api\/v1\/compare\?/, {
      stream: madeUpStream(
        'Long.',
        MODELS.map((model) => ({ model, pieces: [text, '\n\n[safe words](https://example.com/other)'] })),
      ),
    });
    await web.run();
    await web.untilEnded(2);
    await expectHarmless('.answer-body');
    const link = web.answer('sim-swift').getByRole('link').first();
    expect([await link.getAttribute('href'), await link.getAttribute('rel'), await link.innerText()]).toEqual([
      'https://example.com/other',
      expect.stringContaining('noopener noreferrer'),
      expect.stringContaining('example.com'),
    ]);
  });

  it('is harmless as a prompt in the history and on the page of its eval', async () => {
    const prompt = `[[sim:length=3]] ${PAYLOADS['scripts']} ${PAYLOADS['handlers']} ${'y'.repeat(3000)}\u202e`;
    const { body } = await caller.compare({ prompt, models: ['sim-swift'] });
    for (const path of ['/history', `/evals/${body.eval_id}`]) {
      await page.goto(path);
      await page.getByText('window.hacked=1').first().waitFor();
      await expectHarmless('main li, main td, .answer-body');
      await screenshot(page, `hostile-prompt${path.slice(0, 8).replaceAll('/', '-')}`);
    }
    await page.goto('/');
  });

  it.each([
    [
      'markup',
      '#models=sim-swift,%3Cscript%3E,..%2F..%2Fx,__proto__&prompt=%3Cimg%20src%3D%2Fhostile.png%20onerror%3Dwindow.hacked%3D1%3E&input=%22%27',
    ],
    ['broken escapes', '#prompt=%E0%A4%A&models=%'],
    ['too many models', `#prompt=x&models=${Array.from({ length: 500 }, (_, i) => `model-${i}`).join(',')}`],
    ['a million characters', `#prompt=${'z'.repeat(1_000_000)}&models=sim-swift`],
    ['a key', '#key=mcs_000000000000000000000000000000000000&prompt=y'],
  ])('is harmless in the fragment of the address, which runs nothing: %s', async (_name, fragment) => {
    const before = proxy.seen.filter((line) => line.startsWith('POST /api/v1/compare?')).length;
    await page.goto('about:blank');
    await page.goto(`/${fragment}`);
    await web.showForm();
    await eventually('the models are there', async () => (await page.getByRole('checkbox').count()) > 0);
    await expectHarmless('.banner, .field-label');
    expect(proxy.seen.filter((line) => line.startsWith('POST /api/v1/compare?'))).toHaveLength(before);
  });
});
