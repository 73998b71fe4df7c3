import type { Page } from 'playwright-core';
import { createCaller, eventually, type Caller } from '../support/factories';
import { axeViolations } from './support/axe';
import { describeInBrowser } from './support/chromium';
import { sidewaysOverflow } from './support/layout';
import { WebPage } from './support/web-page';
import { UnreliableProxy } from './support/unreliable-proxy';

const RERUN = /\/rerun\?|\/rerun$/;
const RUN = /^\/api\/v1\/runs\/run_/;
const LONG_NAME = `vendor-of-many-words/a-model-whose-name-${'goes-on-and-'.repeat(8)}on`;

/** The parts of an eval that these tests change. */
interface StoredEval {
  models: string[];
  results: { model: string; checks: object[] }[];
  checks: { definitions: { pattern?: string }[] };
  statistics: { models: { model: string }[] };
}

/** An error as the service words it. */
const refusal = (status: number, code: string, message: string, headers: Record<string, string> = {}) => ({
  answer: { status, headers, body: JSON.stringify({ error: { code, message, request_id: 'req_01test' } }) },
});

describeInBrowser('Checks, samples and links on a bad day', () => {
  let caller: Caller;
  let proxy: UnreliableProxy;
  let web: WebPage;
  let page: Page;
  let sampled: string;

  const evalOf = async (options: object = {}, more: object = {}): Promise<string> => {
    const { body } = await caller.post('/api/v1/compare', {
      prompt: '[[sim:vary=3]] Name a city.',
      models: ['sim-swift', 'sim-sage'],
      options,
      ...more,
    });
    return body.eval_id as string;
  };
  const rerunDialog = () => page.getByRole('dialog', { name: 'Run this eval again?' });
  const rerun = async (id: string): Promise<void> => {
    await page.goto(`/evals/${id}`);
    await page.getByRole('button', { name: 'Run again, show changes' }).click();
    await rerunDialog().getByRole('button', { name: 'Run again' }).click();
  };
  const changes = () => page.getByRole('table', { name: 'What changed for each model' });
  /** Shows a stored eval otherwise than it is. */
  const showChanged = async (id: string, change: (stored: StoredEval) => unknown): Promise<void> => {
    const path = `/api/v1/evals/${id}?include=details,checks,statistics`;
    const stored = (await caller.get(path)).body;
    change(stored);
    proxy.next('GET', new RegExp(`^/api/v1/evals/${id}\\?`), { answer: { status: 200, body: JSON.stringify(stored) } });
    await page.goto(`/evals/${id}`);
  };

  beforeAll(async () => {
    caller = await createCaller({ hasPaymentMethod: true });
    proxy = await UnreliableProxy.inFrontOf(caller.url);
    sampled = await evalOf(
      { samples: 2 },
      { checks: [{ type: 'finished' }, { type: 'regex', pattern: '^\\d+$' }, { type: 'length', min: 1 }] },
    );
    web = await WebPage.open({ url: proxy.url, key: caller.key });
    page = web.page;
  });
  afterEach(() => {
    proxy.clear();
    proxy.release();
  });
  afterAll(() => web.end());

  it('one with samples is run again in the background, whatever becomes of a question on the way', async () => {
    web.visit.expects(503);
    proxy.next('GET', RUN, refusal(503, 'unavailable', 'Later.'));
    proxy.next('GET', RUN, { held: true });
    await rerun(sampled);
    await eventually('it is asked for again', () => proxy.seen.filter((line) => RUN.test(line.slice(4))).length > 1);
    await web.untilFocused(/^button Close$/);
    proxy.release();
    await changes().waitFor();
  });

  it('one with a single answer is run again at once', async () => {
    const before = proxy.seen.filter((line) => line.includes('/runs/')).length;
    await rerun(await evalOf());
    await changes().waitFor();
    expect(proxy.seen.filter((line) => line.includes('/runs/'))).toHaveLength(before);
    await page.getByText('One answer cannot tell').waitFor();
    expect([await page.getByText('maybe luck').count(), await page.getByText('not luck').count()]).toEqual([0, 0]);
  });

  it.each([
    [402, 'payment_required', 'This eval is not free, and there is no payment method.'],
    [503, 'overloaded', 'Too much to do.'],
    [429, 'rate_limited', 'Too many runs.'],
  ])(
    'a rerun that is answered %i shows the message in the dialog, which stays open for a retry',
    async (status, code, message) => {
      web.visit.expects(status);
      proxy.next('POST', RERUN, refusal(status, code, message));
      await rerun(sampled);
      await rerunDialog().getByText(message).waitFor();
      await rerunDialog().getByRole('button', { name: 'Run again' }).click();
      await changes().waitFor();
    },
  );

  it('a price that is not known is said, and the eval can be run all the same', async () => {
    web.visit.expects(503);
    proxy.next('POST', /estimate/, refusal(503, 'unavailable', 'Later.'));
    await page.goto(`/evals/${sampled}`);
    await page.getByRole('button', { name: 'Run again, show changes' }).click();
    await rerunDialog().getByText('No estimate: Later.').waitFor();
    expect(await rerunDialog().getByRole('button', { name: 'Run again' }).isEnabled()).toBe(true);
    await page.keyboard.press('Escape');
    await rerunDialog().waitFor({ state: 'detached' });
  });

  it('an eval that was erased in another tab is reported as missing everywhere', async () => {
    web.visit.expects(404);
    const id = await evalOf();
    await page.goto(`/evals/${id}`);
    await page.getByText('Do the models agree?').waitFor();
    await caller.delete(`/api/v1/evals/${id}`);
    await page.getByText('Do the models agree?').click();
    await page.locator('.finding .banner').waitFor();
    await page.getByRole('button', { name: 'Run again, show changes' }).click();
    await rerunDialog().getByRole('button', { name: 'Run again' }).click();
    await eventually(
      'the dialog says that it is gone',
      async () => (await rerunDialog().getByRole('alert').innerText()) !== '',
    );
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this eval' });
    await dialog.getByRole('button', { name: 'Create a link' }).click();
    await eventually(
      'the dialog says that it is gone',
      async () => (await dialog.getByRole('alert').first().innerText()) !== '',
    );
    await eventually(
      'it can be tried again',
      async () => await dialog.getByRole('button', { name: 'Create a link' }).isEnabled(),
    );
  });

  it('a check that could not be decided says so, and is no pass; one of a failed model says nothing', async () => {
    await showChanged(sampled, ({ results }) => {
      const [first, second] = results;
      if (first === undefined || second === undefined) throw new Error('There are no results.');
      // None else, however late the thread of the checks was.
      for (const { checks } of results)
        checks[1] = { name: 'regex-2', type: 'regex', outcome: 'fail', score: 0, reason: 'No.' };
      first.checks[1] = { name: 'regex-2', type: 'regex', outcome: 'error', score: null, reason: 'It took too long.' };
      const error = { code: 'unavailable', message: 'The vendor had an error of its own.', retryable: true };
      Object.assign(second, {
        output: undefined,
        error,
        checks: second.checks.map((verdict) => ({ ...verdict, outcome: 'skipped' })),
      });
    });
    const swift = web.answer('sim-swift');
    await swift.getByText('2 of 3 checks in this sample').waitFor();
    expect(await swift.getByRole('listitem').nth(1).innerText()).toMatch(
      /! regex-2\s+could not be decided\s+It took too long\./,
    );
    expect(await swift.getByRole('combobox').locator('option').first().innerText()).toBe('1 of 2 · ✗ 2 of 3');
    const sage = web.answer('sim-sage');
    expect([
      await sage.getByRole('list', { name: 'Checks' }).count(),
      await sage.getByRole('combobox').locator('option').first().innerText(),
    ]).toEqual([0, '1 of 2 · ▲ failed']);
    await page.getByText('Figures of 2 samples and 3 checks').click();
    await page.getByText('1 undecided').waitFor();
  });

  it('a long name and text from right to left fit on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await showChanged(sampled, (stored) => {
      stored.models[0] = LONG_NAME;
      Object.assign(stored.statistics.models[0] ?? {}, { model: LONG_NAME });
      for (const result of stored.results)
        if (result.model === 'sim-swift') Object.assign(result, { model: LONG_NAME, output: 'مرحبا، كيف حالك اليوم؟' });
      Object.assign(stored.checks.definitions[1] ?? {}, { pattern: `^${'ش'.repeat(400)}$` });
    });
    await page.getByRole('article', { name: LONG_NAME }).waitFor();
    expect([await sidewaysOverflow(page), await axeViolations(page)]).toEqual([{ pixels: 0, elements: [] }, []]);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('an error that only the service can detect is shown at the checks, in the words of the form; nothing in the form is too wide', async () => {
    web.visit.expects(400);
    await page.goto('/');
    await web.fill({ prompt: 'Hello', models: ['sim-swift'] });
    await web.openEvaluation();
    await page.getByLabel('Type of check').selectOption({ label: 'The answer is JSON' });
    await page.getByRole('button', { name: 'Add check' }).press('Enter');
    await eventually('the new check has the focus', async () => (await web.focused()) === 'textarea check-1-schema');
    await page.keyboard.type('{"type": "objekt"}');
    await page.getByText(/^No estimate: Check 1: schema is not a schema/).waitFor();
    await web.run();
    await page
      .locator('#field-checks-problem')
      .getByText(/Check 1: schema is not a schema/)
      .waitFor();
    expect(await page.locator('.form-pane').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(
      0,
    );
  });

  it('are worked from the keyboard: the focus is never lost, and a fold stays open while its field is emptied', async () => {
    const weight = page.getByLabel('Weight');
    await page.getByText('Name, weight, negation').click();
    await weight.fill('2');
    await weight.fill('');
    expect(await weight.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Remove check 1' }).press('Enter');
    await eventually(
      'the focus is where the next check is added',
      async () => (await web.focused()) === 'select Type of check',
    );
  });
});
