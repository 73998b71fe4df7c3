import type { Page } from 'playwright-core';
import { operator } from '../support/api';
import { createCaller, eventually, type Caller } from '../support/factories';
import { axeViolations } from './support/axe';
import { describeInBrowser } from './support/chromium';
import { sidewaysOverflow } from './support/layout';
import { UnreliableProxy } from './support/unreliable-proxy';
import { WebPage } from './support/web-page';

const MODELS = ['sim-swift', 'sim-sage'];
const HOSTILE = '<img src=/hostile.png onerror=window.hacked=1> {input} \u202e<script>window.hacked=1</script>';

/** Rows in which sim-swift always says the capital, and sim-sage says Rome. */
const capitals = (count: number) =>
  [
    'country,capital,say',
    ...Array.from({ length: count }, (_, i) =>
      i % 6 === 0 ? `Italy ${i},Rome,Rome` : `"Country, number ${i}",City${i},City${i}`,
    ),
  ].join('\n');
const PROMPT = '[[sim-swift:say={say}]] [[sim-sage:say=Rome]] What is the capital of {input}?';

/** Drops a file on the form. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([fileName, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], fileName));
      return transfer;
    },
    [name, text] as const,
  );
  await page.getByRole('group', { name: 'Data set' }).dispatchEvent('drop', { dataTransfer });
}

describeInBrowser('Experiments on the page', () => {
  let caller: Caller;
  let proxy: UnreliableProxy;
  let web: WebPage;
  let page: Page;

  beforeAll(async () => {
    caller = await createCaller({ hasPaymentMethod: true });
    proxy = await UnreliableProxy.inFrontOf(caller.url);
    web = await WebPage.open({ url: proxy.url, key: caller.key });
    page = web.page;
  });
  afterEach(() => {
    proxy.clear();
    proxy.release();
  });
  afterAll(() => web.end());

  /** Starts an experiment through the API. */
  const start = async (
    members: object = {},
    rows: readonly object[] = Array.from({ length: 4 }, (_, i) => ({
      id: `r${i}`,
      input: `Row ${i}`,
      expected: 'Rome',
    })),
    by = caller,
  ): Promise<string> => {
    const { body: dataset } = await by.post(
      '/api/v1/datasets?name=rows',
      rows.map((row) => JSON.stringify(row)).join('\n'),
      { headers: { 'content-type': 'application/x-ndjson' } },
    );
    const started = await by.post('/api/v1/experiments', {
      dataset: dataset.dataset_id,
      prompt: '[[sim:say=Rome]] {input}',
      models: MODELS,
      checks: [{ type: 'contains', values: ['{expected}'] }],
      max_cost_usd: 1,
      ...members,
    });
    expect(started.status).toBe(202);
    return started.body.experiment_id as string;
  };
  const state = (words: string) =>
    page.locator('.experiment-facts .experiment-state').getByText(words, { exact: true });
  const stored = (words: RegExp) => page.locator('.data-upload').getByText(words).waitFor();
  const expectFits = async (): Promise<void> => {
    expect(await sidewaysOverflow(page)).toEqual({ pixels: 0, elements: [] });
    expect(await axeViolations(page)).toEqual([]);
  };

  it('goes from a dropped file to figures, rows and the eval of a row', async () => {
    await web.prompt.fill('Hello');
    await page
      .locator('.estimate')
      .getByText(/^free, /)
      .waitFor();
    await page
      .getByRole('navigation', { name: 'Screens', exact: true })
      .getByRole('link', { name: 'Experiments' })
      .click();
    await page.getByRole('heading', { name: 'A data set, several models, one answer' }).waitFor();
    expect(await page.getByRole('link', { name: /in the guide/ }).getAttribute('href')).toMatch(/^\/docs\/guide\//);
    await page.getByRole('link', { name: 'New experiment' }).click();
    await drop(page, 'capitals.csv', capitals(60));
    const first = page.getByRole('region', { name: 'First rows' });
    await first.waitFor();
    expect([await first.getByRole('row').count(), await first.getByRole('cell').allInnerTexts()]).toEqual([
      6,
      expect.arrayContaining(['Country, number 1', 'City1']),
    ]);
    await page.getByLabel('Input', { exact: true }).selectOption('country');
    await page.getByLabel('Expected answer', { exact: true }).selectOption('capital');
    await page.getByText('Variables for the prompt: {say}').waitFor();
    await page.getByRole('button', { name: 'Upload the rows' }).click();
    await stored(/60 rows, [\d,]+ bytes, are stored/);
    await web.prompt.fill(PROMPT);
    for (const model of ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan'])
      await page.getByRole('checkbox', { name: new RegExp(`^${model}`) }).setChecked(MODELS.includes(model));
    await page.getByRole('checkbox', { name: /^sim-swift/ }).hover();
    expect(await page.locator('.model-estimate').filter({ visible: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'equals {expected}', pressed: true }).waitFor();
    await page.getByText(/^At most \$.*; \$.* if every answer is half as long as allowed/).waitFor();
    await page.getByText(/60 rows, 120 calls; at most .* charged. 60 rows find differences/).waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Set a cap first').waitFor();
    await web.untilFocused(/^input experiment-cap$/);
    await page.getByLabel('Cap, $').fill('0.00001');
    await page.getByText('The experiment may pause early').waitFor();
    await page.getByLabel('Cap, $').fill('1');
    await page.getByLabel('Name', { exact: true }).fill('Capitals');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { level: 1, name: 'Capitals' }).waitFor();
    await state('finished').waitFor();
    await page.getByText('Take sim-swift: on these rows no other passes more than its 100.0 %').waitFor();
    const figures = page.getByRole('region', { name: 'Figures of the models' });
    expect(
      (await figures.getByRole('row').allInnerTexts()).slice(1).map((text) => text.replaceAll(/\s+/g, ' ')),
    ).toEqual([
      expect.stringMatching(/sim-swift 1 100 % 9\d to 100 % \$/),
      expect.stringMatching(/sim-sage 2 17 % \d+ to \d+ % \$/),
    ]);
    await page.getByRole('img', { name: /^Share that passed/ }).waitFor();
    expect(await page.getByText('sim-swift passes more often than sim-sage').count()).toBe(0);
    const rows = page.getByRole('table', { name: 'Answers by row and model' });
    await eventually('the rows that are not Italy are there', async () => {
      await page.mouse.wheel(0, 5000);
      return (await rows.getByRole('row').count()) === 51;
    });
    // Rows out of view are not laid out, and have no inner text.
    expect((await rows.getByRole('row').nth(1).textContent())?.replaceAll(/\s+/g, ' ')).toMatch(
      /^Country, number \d+ → City\d+✓ passed City\d+✗ not passed Rome$/,
    );
    await page.getByRole('button', { name: 'Failed' }).click();
    await page.getByText('In every row that ended, a model answered.').waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await eventually('all rows are there, page by page', async () => {
      await page.mouse.wheel(0, 5000);
      return (await rows.getByRole('row').count()) === 61;
    });
    await rows.getByRole('button').first().click();
    await page.getByRole('link', { name: 'The eval of this row' }).click();
    await web.untilEnded(2);
    await page.getByRole('link', { name: 'an experiment' }).click();
    await state('finished').waitFor();
    await page.goto('/experiments');
    await page.getByText('Take sim-swift: on these rows no other passes more').waitFor();
    await page.getByRole('link', { name: 'Capitals' }).waitFor();
  });

  it('pauses, resumes and ends on request, with one question to the service at a time, and says nothing of places before', async () => {
    await page.addInitScript(() => {
      const original = window.fetch.bind(window);
      const open = new Set<AbortSignal | null | undefined>();
      window.fetch = async (input, init) => {
        if (init?.method !== 'GET' || typeof input !== 'string' || !/experiments\/exp_\w+$/.test(input))
          return await original(input, init);
        open.add(init.signal);
        const count = [...open].filter((signal) => signal?.aborted !== true).length;
        const { asked = 0, most = 0 } = window as { asked?: number; most?: number };
        Object.assign(window, { asked: asked + 1, most: Math.max(count, most) });
        return await original(input, init).finally(() => open.delete(init.signal));
      };
    });
    const id = await start(
      { prompt: '[[sim:slow=700]] [[sim:say=Rome]] {input}', parallel: 2, name: 'Slow' },
      Array.from({ length: 200 }, (_, i) => ({ input: `Row ${i}`, expected: 'Rome' })),
    );
    await page.goto(`/experiments/${id}`);
    await state('running').waitFor();
    await page.getByText('No model is called better before its end').waitFor();
    expect(await page.getByText(/\bplace \d|Pair by pair/).count()).toBe(0);
    // Counted in the page: a request under way would reach the proxy later.
    const asked = () => page.evaluate(() => (window as { asked?: number }).asked ?? 0);
    await eventually(
      'rows end on the screen',
      async () => Number(await page.getByRole('progressbar').getAttribute('value')) >= 2,
    );
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    const before = await asked();
    await page.waitForTimeout(2500);
    expect(await asked()).toBe(before);
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: false, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.getByRole('button', { name: 'Pause' }).click();
    await state('paused: by you').waitFor();
    await eventually('the finding counts the rows that are done', async () =>
      (await page.locator('.experiment-headline').innerText()).includes(
        `${/\d+/.exec(await page.locator('.month-figure-value').first().innerText())?.[0]} of`,
      ),
    );
    await web.untilFocused(/^button Resume$/);
    await page.getByRole('button', { name: 'Resume' }).click();
    await state('running').waitFor();
    await page.getByRole('button', { name: 'Raise the cap' }).click();
    await page.getByLabel('Cap, $').fill('lots');
    await page.keyboard.press('Enter');
    await page.getByText('The cap must be an amount').waitFor();
    await page.getByLabel('Cap, $').fill('2.5');
    await page.keyboard.press('Enter');
    await page.getByText('of the cap of $2.50').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog', { name: 'Cancel this experiment?' }).waitFor();
    await page.keyboard.press('Escape');
    await web.untilFocused(/^button Cancel$/);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    // Where none runs, the first answer is not yet the last.
    await eventually('rows run', async () => /running/.test(await page.locator('.month-figures').innerText()));
    await page.getByRole('button', { name: 'Cancel the experiment' }).click();
    await state('canceled').waitFor();
    await eventually(
      'nothing runs any more',
      async () => !/running/.test(await page.locator('.month-figures').innerText()),
    );
    const last = await asked();
    await page.waitForTimeout(2500);
    expect([await asked(), await page.evaluate(() => (window as { most?: number }).most)]).toEqual([last, 1]);
    expect(await page.getByRole('button', { name: /^(Pause|Resume|Raise the cap|Cancel|Retry)/ }).count()).toBe(0);
    await web.untilFocused(/^h1/);
  });

  it('goes on under a higher cap, and asks again only where an answer is missing', async () => {
    const id = await start({ max_cost_usd: 0.0000001 });
    const summary = page.waitForResponse(/\/summary\?/);
    await page.goto(`/experiments/${id}`);
    await state('paused: the cap is reached').waitFor();
    await (await summary).finished();
    expect(await page.getByRole('button', { name: 'Resume' }).isVisible()).toBe(false);
    await page.getByText(/^No row has/).waitFor();
    expect(await page.getByText(/^No row has/).allInnerTexts()).toEqual(['No row has begun yet.']);
    await page.getByRole('button', { name: 'Raise the cap' }).click();
    await page.getByLabel('Cap, $').fill('1');
    await page.getByRole('button', { name: 'Set the cap' }).click();
    await state('finished').waitFor();
    expect(await page.getByRole('button', { name: 'Retry what is missing' }).count()).toBe(0);
    const failing = await start({ prompt: '[[sim-sage:fail=overloaded]] {input}' });
    await page.goto(`/experiments/${failing}`);
    await state('finished').waitFor();
    await page.getByRole('button', { name: 'No answer', exact: true }).click();
    await page.getByRole('table', { name: 'Answers by row and model' }).getByText('no answer').nth(3).waitFor();
    await page.getByRole('button', { name: 'Retry what is missing' }).click();
    await eventually('they were asked again', async () =>
      (await caller.get(`/api/v1/experiments/${failing}/rows`)).body.rows.every(
        (row: { attempt: number }) => row.attempt === 2,
      ),
    );
  });

  it('names the lines of a file that cannot be stored, takes JSONL and JSON, and refuses other files', async () => {
    web.visit.expects(400);
    await page.goto('/experiments/new');
    await drop(page, 'rows.txt', 'x');
    await page.getByText('Choose a file whose name ends with').waitFor();
    await drop(page, 'rows.csv', 'input,tone\nA,b\nA\nB,c,d\n');
    await page.getByRole('button', { name: 'Upload the rows' }).click();
    await page.locator('.data-faults li').nth(1).waitFor();
    expect(await page.locator('.data-faults li').allInnerTexts()).toEqual([
      'Line 3 has 1 cell; the header has 2',
      'Line 4 has 3 cells; the header has 2',
    ]);
    await drop(
      page,
      'rows.json',
      JSON.stringify([
        { question: 'Q1', answer: 'A1', tone: 'dry' },
        { question: 'Q2', answer: 'A2', tone: 'warm' },
      ]),
    );
    await page.getByText('Its first 2 rows').waitFor();
    expect([
      await page.getByLabel('Input', { exact: true }).inputValue(),
      await page.getByLabel('Expected answer', { exact: true }).inputValue(),
    ]).toEqual(['question', 'answer']);
    await page.getByRole('button', { name: 'Upload the rows' }).click();
    await stored(/2 rows, \d+ bytes, are stored/);
    await page.getByLabel('Group', { exact: true }).selectOption('tone');
    await page.getByRole('button', { name: 'Upload the rows' }).click();
    await stored(/2 rows in 2 groups/);
    await drop(page, 'rows.jsonl', '{"input":"one"}\n{"input":"one","id":"a"}\nnot json\n');
    await page.getByRole('button', { name: 'Upload the rows' }).click();
    await page.getByText('Line 3 is not valid JSON').waitFor();
  });

  it('is worked by the keyboard alone', async () => {
    const tabTo = async (name: RegExp): Promise<void> => {
      for (let presses = 0; presses < 60 && !name.test(await web.focused()); presses += 1)
        await page.keyboard.press('Tab');
      expect(await web.focused()).toMatch(name);
    };
    await page.goto('/history');
    await web.goByKeys('e', page.getByRole('heading', { level: 1, name: 'Experiments' }));
    await tabTo(/^a New experiment/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'New experiment' }).waitFor();
    await page.getByLabel('File of rows').setInputFiles({
      name: 'rows.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('input,expected\nA,Rome\nB,Rome\n'),
    });
    await page.getByRole('button', { name: 'Upload the rows' }).waitFor();
    await page.getByLabel('File of rows').focus();
    await tabTo(/Upload the rows/);
    await page.keyboard.press('Enter');
    await stored(/are stored/);
    await page.getByLabel('Prompt', { exact: true }).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('[[sim:say=Rome]]');
    await tabTo(/experiment-cap/);
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    await state('finished').waitFor();
    await page.getByText('In no row do models differ').waitFor();
    await tabTo(/^button All/);
    await page.keyboard.press('Enter');
    await page.getByText('→ Rome').nth(1).waitFor();
  });

  it('survives a lost service and a revoked key, and shows figures again by itself', async () => {
    web.visit.expects('net', 401, 503);
    const { body: issued } = await operator().post(`/api/v1/admin/users/${caller.userId}/keys`, { name: 'other' });
    const tab = await web.anotherTab(issued.api_key);
    const id = await start(
      { prompt: '[[sim:slow=1000]] {input}', parallel: 1 },
      Array.from({ length: 25 }, (_, i) => ({ input: `Row ${i}`, expected: 'x' })),
    );
    await tab.page.goto(`/experiments/${id}`);
    await tab.page.locator('.experiment-facts').getByText('running').waitFor();
    await proxy.down();
    await tab.page.getByText('The service cannot be reached').waitFor();
    await proxy.up();
    await tab.page.getByText('The service cannot be reached').waitFor({ state: 'detached' });
    await operator().delete(`/api/v1/admin/keys/${issued.id}`);
    await tab.page.getByText('The screen keeps its content').waitFor();
    const before = proxy.seen.length;
    await tab.page.waitForTimeout(3000);
    expect(proxy.seen.slice(before).filter((line) => line.includes(id))).toEqual([]);
    await tab.enterKey(caller.key ?? '');
    await tab.page.locator('.experiment-state').getByText('finished').waitFor({ timeout: 60_000 });
    await tab.page.close();
    web.visit.expects(404);
    await page.goto('/experiments/exp_01k9z3v7q4m8n2p6r0s5t1w3x7');
    await page.getByText('There is no experiment at this address').waitFor();
  });

  it('shows hostile names, rows and answers as text, also on a phone', async () => {
    const id = await start({ name: HOSTILE.slice(0, 100), prompt: `[[sim:echo]] ${HOSTILE}` }, [
      { id: '<b>id</b>', input: HOSTILE, expected: HOSTILE, group: HOSTILE.slice(0, 90) },
      { input: 'x'.repeat(5000) },
    ]);
    const harmless = async (): Promise<void> => {
      expect(
        await page.evaluate(() => [
          (window as { hacked?: unknown }).hacked,
          document.querySelectorAll('main :is(img, script, iframe)').length,
        ]),
      ).toEqual([undefined, 0]);
      expect(web.visit.requested.filter((path) => path.includes('hostile'))).toEqual([]);
    };
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`/experiments/${id}`);
      await state('finished').waitFor();
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await page.getByRole('table', { name: 'Answers by row and model' }).waitFor();
      await page.getByText('Prompt', { exact: true }).click();
      await harmless();
      await expectFits();
      await page.goto('/experiments');
      await page.locator('.experiment-line').first().waitFor();
      await harmless();
      await expectFits();
      await page.goto('/experiments/new');
      await drop(
        page,
        `${HOSTILE}.csv`.replaceAll('/', '-'),
        `"${HOSTILE}",input,expected\nx,"${HOSTILE}",${'y'.repeat(3000)}\n`,
      );
      await page.getByRole('region', { name: 'First rows' }).waitFor();
      await harmless();
      await expectFits();
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });
});
