import type { Page } from 'playwright-core';
import { operator } from '../support/api';
import { createCaller, eventually, type Caller } from '../support/factories';
import { TEST_SECRETS } from '../support/service';
import { describeInBrowser } from './support/chromium';
import { look as lookAt } from './support/look';
import { WebPage } from './support/web-page';
import { UnreliableProxy } from './support/unreliable-proxy';

const COMPARE = /^\/api\/v1\/compare\?/;
const FOUR = ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan'];

const errorBody = (code: string, message: string) =>
  JSON.stringify({ error: { code, message, request_id: 'req_01test' } });

/** The problems on the screens of the test. */
const found: string[] = [];

async function look(page: Page, name: string): Promise<void> {
  found.push(...(await lookAt(page, name)));
}

describeInBrowser('Every screen and state satisfies axe, in light and dark, at 1280 and 390 pixels:', () => {
  let caller: Caller;
  let proxy: UnreliableProxy;
  let web: WebPage;
  let page: Page;

  beforeAll(async () => {
    caller = await createCaller();
    proxy = await UnreliableProxy.inFrontOf(caller.url);
    web = await WebPage.open({ url: proxy.url });
    page = web.page;
    web.visit.expects(400, 401, 402, 403, 404, 429, 502, 'net');
  });
  afterEach(() => {
    proxy.clear();
    proxy.release();
    expect(found.splice(0)).toEqual([]);
  });
  afterAll(() => web.end());

  const refuse = (status: number, code: string, message: string, headers: Record<string, string> = {}) =>
    proxy.next('POST', COMPARE, { answer: { status, headers, body: errorBody(code, message) } });

  it('the key screen, also with the admin key and with an invalid key', async () => {
    await web.keyField.waitFor();
    await look(page, 'key');
    await web.keyField.fill(TEST_SECRETS.ADMIN_API_KEY);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This key works only for /api/v1/admin').waitFor();
    await look(page, 'key-operator');
    await web.keyField.fill(`${caller.key?.slice(0, -1)}_`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.problem').filter({ hasText: 'key' }).waitFor();
  });

  it('the first visit, the menu, the list of keys, the models on a phone', async () => {
    await web.enterKey(caller.key ?? '');
    await page.getByRole('checkbox').first().waitFor();
    await look(page, 'first-visit');
    await page.getByRole('button', { name: /^Menu/ }).click();
    await look(page, 'menu');
    await page.getByRole('button', { name: 'Keyboard' }).click();
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await look(page, 'keyboard');
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: /Choose models/ }).click();
    await look(page, 'models');
    await page.getByRole('button', { name: 'Done' }).click();
  });

  it('a filled form with options, an estimate, and fields that the service refuses', async () => {
    await web.fill({ prompt: 'Say {input} in French.', input: 'good morning', models: FOUR });
    await web.openOptions();
    await page.getByLabel('System message').fill('Be brief.');
    await page.getByLabel('Effort', { exact: true }).selectOption('low');
    await page.getByLabel('Room for thought').fill('50');
    await page.getByRole('button', { name: '@high' }).waitFor({ state: 'attached' });
    await page.getByText(/^free, \d+ left$/).waitFor();
    await look(page, 'form');
    await page.getByLabel('Temperature').fill('7');
    await web.run();
    await page.locator('[aria-invalid="true"]').first().waitFor();
    await eventually('what is wrong is in sight', async () => {
      const [problem, area] = [
        await page.locator('#field-temperature-problem').boundingBox(),
        await page.locator('.run-area').boundingBox(),
      ];
      return problem !== null && area !== null && problem.y > 0 && problem.y + problem.height <= area.y;
    });
    await look(page, 'form-refused');
    await page.getByLabel('Temperature').fill('');
  });

  it('waiting and writing, stopped watching', async () => {
    await web.fill({
      prompt: '[[sim:pace=3]] [[sim-titan:slow=60000]] [[sim:length=40]] Say {input} in French.',
      input: 'good morning',
      models: FOUR,
    });
    await web.run();
    await page.locator('article[data-phase="writing"]').nth(2).waitFor();
    await look(page, 'running');
    await web.showForm();
    await page
      .getByRole('button', { name: /Stop watching/ })
      .first()
      .click();
    await web.banner.waitFor();
    await look(page, 'stopped');
  });

  it('ended with badges, efforts, a substitute, a failure, warnings and an answer that found no room; differences; one answer expanded', async () => {
    await web.fill({
      prompt:
        '[[sim:echo]] [[sim-titan:fail]] [[sim-sage:think=9000]] [[sim-swift:length=900]] [[sim-quill:answered-by=sim-mini]]# A heading\n\nSome *words* with `code`, a [link](https://example.com/x) and\n\n1. one\n2. two\n   - three\n\n| a | b |\n|---|--:|\n| x | 1 |\n\n```js\nconst a = 1;\n```\n\n> quoted {input}',
      input: 'good morning',
      models: FOUR,
    });
    await web.run();
    await web.untilEnded(4);
    await web.answer('sim-swift').getByText('no effort sent (asked for low)').waitFor();
    await web.answer('sim-quill').getByText('Answered by sim-mini').waitFor();
    await web.answer('sim-sage').getByText('The model reached its limit without any text').waitFor();
    expect(await web.answer('sim-sage').locator('.answer-figures').innerText()).toMatch(/\+ 0\s+Thought\s+550\s/);
    await look(page, 'ended');
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await look(page, 'ended-text');
    await page.getByRole('button', { name: 'Differences', exact: true }).click();
    await page.getByText(/added, .* removed/).waitFor();
    await look(page, 'differences');
    await page.getByRole('button', { name: 'Differences', exact: true }).click();
    await page.getByRole('button', { name: 'Formatted', exact: true }).click();
    await page.getByRole('button', { name: 'Expand sim-swift' }).click();
    await look(page, 'expanded');
    await page.keyboard.press('Escape');
  });

  it('every model failed; refusals for money and for time; a lost connection; offline', async () => {
    await web.fill({ prompt: '[[sim:fail=overloaded]] Fail.', models: FOUR });
    await web.run();
    await web.banner.getByText('Every model failed').waitFor();
    await look(page, 'all-failed');
    await web.fill({ prompt: 'Once.', models: FOUR });
    refuse(402, 'payment_required', 'This eval is not free, and there is no payment method.');
    await web.run();
    await web.banner.getByRole('button', { name: 'Add a payment method' }).waitFor();
    await look(page, 'payment-required');
    refuse(429, 'rate_limited', 'Too many requests.', { 'retry-after': '120' });
    await web.run();
    await page.getByText('Too many requests.').waitFor();
    await look(page, 'rate-limited');
    await page.reload();
    await web.fill({ prompt: '[[sim:pace=5]] [[sim:length=600]] Slowly.', models: FOUR });
    proxy.next('POST', COMPARE, { cut: 'after events', events: 8 });
    // Otherwise the page takes the stream up again.
    proxy.next('GET', /^\/api\/v1\/runs\//, { cut: 'before the head' }, 9);
    await web.run();
    await web.banner.getByText('Connection lost').waitFor();
    await look(page, 'connection-lost');
    await web.visit.context.setOffline(true);
    await page.locator('.banner-page', { hasText: 'You are offline' }).waitFor();
    await look(page, 'offline');
    await web.visit.context.setOffline(false);
  });

  it('no available model, a key without the scope, and a key that is rejected during a run', async () => {
    proxy.next('GET', /^\/api\/v1\/models/, { answer: { status: 200, body: '{"models":[]}' } }, 9);
    await page.reload();
    await page.getByText('No model is available').first().waitFor({ state: 'attached' });
    await look(page, 'no-models');
    const issued = await operator().post(`/api/v1/admin/users/${caller.userId}/keys`, {
      name: 'compare only',
      scopes: ['compare', 'models:read'],
    });
    const tab = await web.anotherTab(issued.body.api_key);
    for (const path of ['/history', '/usage']) {
      await tab.page.goto(path);
      await tab.page
        .getByText(/evals:read|usage:read/)
        .first()
        .waitFor();
      await look(tab.page, `no-scope${path.replace('/', '-')}`);
    }
    proxy.clear();
    await tab.page.goto('/');
    await tab.compare({ prompt: 'Before.', models: FOUR });
    // Before the key is refused: the dialog may come by itself, after the run, and nothing below it can be clicked.
    await tab.showForm();
    await operator().delete(`/api/v1/admin/keys/${issued.body.id}`);
    await tab.prompt.fill('After.');
    await tab.page.getByText('The screen keeps its content').waitFor();
    await look(tab.page, 'key-refused');
    await tab.page.close();
  });

  it('history, also without a match; an eval, its erasing; usage', async () => {
    await page.goto('/history');
    await page.locator('a[href^="/evals/"]').first().waitFor();
    await look(page, 'history');
    await page.getByRole('searchbox').fill('no such words');
    await page.locator('a[href^="/evals/"]').first().waitFor({ state: 'detached' });
    await look(page, 'history-nothing');
    await page.getByRole('searchbox').fill('quoted');
    await page.locator('a[href^="/evals/"]').first().click();
    await web.untilEnded(4);
    await look(page, 'eval');
    await web.takeMore(/^Erase/);
    await page.getByRole('dialog').waitFor();
    await look(page, 'erase');
    await page.keyboard.press('Escape');
    // The room of the answer was too small; everything else is taken over.
    await web.answer('sim-sage').getByRole('button', { name: 'Add room for thought: 2,200' }).click();
    await web.openOptions();
    expect(
      await Promise.all(
        ['System message', 'Effort', 'Room for thought'].map((label) =>
          page.getByLabel(label, { exact: true }).inputValue(),
        ),
      ),
    ).toEqual(['Be brief.', 'low', '2200']);
    await page.goto('/usage');
    await page.getByRole('table').first().waitFor();
    await look(page, 'usage');
    await page.goto('/evals/eval_01k9z3v7q4m8n2p6r0s5t1w3x7');
    await page.getByText('There is no eval at this address').waitFor();
    await look(page, 'eval-missing');
  });

  it('experiments: none, a file with faults, a filled form, running, finished, paused at its cap, the list', async () => {
    const payer = await createCaller({ hasPaymentMethod: true });
    const tab = (await web.anotherTab(payer.key ?? '')).page;
    await tab.goto('/experiments');
    await tab.getByRole('heading', { name: 'A data set, several models, one answer' }).waitFor();
    await look(tab, 'experiments-none');
    await tab.goto('/experiments/new');
    const upload = async (content: string): Promise<void> => {
      await tab
        .getByLabel('File of rows')
        .setInputFiles({ name: 'capitals.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
      await tab.getByRole('button', { name: 'Upload the rows' }).click();
    };
    const rows = Array.from(
      { length: 60 },
      (_, i) =>
        `Country ${i},City${i},${i % 3 === 0 ? 'Rome' : `City${i}`},${i % 4 === 0 ? 'Rome' : `City${i}`},region-${i % 40}`,
    ).join('\n');
    await upload('input,expected\nA,b\nA\nB,c,d\n');
    await tab.getByText('Line 3').waitFor();
    await tab.getByRole('checkbox').first().waitFor({ state: 'attached' });
    await look(tab, 'experiment-faults');
    await upload(`input,expected,first,second,group\n${rows}\n`);
    await tab
      .locator('.data-upload')
      .getByText(/are stored/)
      .waitFor();
    await tab
      .getByLabel('Prompt', { exact: true })
      .fill(
        '[[sim:slow=2500]] [[sim-quill:say={first}]] [[sim-titan:say={second}]] [[sim-sage:say={second}]] What is the capital of {input}?',
      );
    await tab.getByRole('button', { name: 'equals {expected}', pressed: true }).waitFor();
    await tab.getByLabel('Name', { exact: true }).fill('Capitals of 60 countries');
    await tab.getByLabel('Cap, $').fill('2');
    await tab.getByText(/; \$.* if every answer is half as long as allowed/).waitFor();
    await look(tab, 'experiment-new');
    await tab.getByRole('button', { name: 'Start' }).click();
    await tab.getByRole('region', { name: 'Figures of the models' }).waitFor();
    await look(tab, 'experiment-running');
    await tab
      .getByText(/cannot be told apart/)
      .first()
      .waitFor({ timeout: 120_000 });
    await look(tab, 'experiment-finished');
    const [{ dataset_id: dataset }] = (await payer.get('/api/v1/datasets')).body.datasets;
    const { body: paused } = await payer.post('/api/v1/experiments', {
      dataset,
      prompt: '{input}',
      models: FOUR,
      max_cost_usd: 0.00001,
    });
    await tab.goto(`/experiments/${paused.experiment_id}`);
    await tab.getByText('paused: the cap is reached').first().waitFor();
    await look(tab, 'experiment-paused');
    await tab.getByRole('button', { name: 'Raise the cap' }).click();
    await tab.getByRole('dialog').waitFor();
    await look(tab, 'experiment-cap');
    await tab.keyboard.press('Escape');
    await tab.goto('/experiments');
    await tab.locator('.experiment-headline').waitFor();
    await look(tab, 'experiments');
    await tab.close();
  }, 400_000);
});
