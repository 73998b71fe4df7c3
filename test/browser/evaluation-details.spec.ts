import type { Page } from 'playwright-core';
import { operator } from '../support/api';
import { createCaller, eventually, type Caller } from '../support/factories';
import { describeInBrowser } from './support/chromium';
import { WebPage } from './support/web-page';
import { UnreliableProxy } from './support/unreliable-proxy';

const MODELS = ['sim-swift', 'sim-sage'];
const FIVE_CHECKS = [
  { type: 'finished' },
  { type: 'length', min: 1 },
  { type: 'length', max: 9999 },
  { type: 'contains', values: ['e'] },
  { type: 'cost', max_usd: 1 },
];

describeInBrowser('What an eval with checks and samples shows', () => {
  let caller: Caller;
  let proxy: UnreliableProxy;
  let web: WebPage;
  let page: Page;
  let sampled: string;
  let single: string;

  const compare = async (body: object = {}): Promise<string> =>
    (await caller.post('/api/v1/compare', { prompt: '[[sim:vary=3]] Name a city.', models: MODELS, ...body })).body
      .eval_id as string;
  /** Answers are drawn; a model that gives two of the same length may lead for sure. */
  const compareWithoutSureLead = async (): Promise<string> => {
    for (;;) {
      const id = await compare({ options: { samples: 2 } });
      if (!(await caller.get(`/api/v1/evals/${id}?include=statistics`)).body.statistics.cheapest.confident) return id;
    }
  };
  const latest = async () =>
    (
      await caller.get(
        `/api/v1/evals/${(await caller.get('/api/v1/evals?limit=1')).body.evals[0].eval_id}?include=details,checks`,
      )
    ).body;
  const open = async (id: string): Promise<void> => {
    await page.goto(`/evals/${id}`);
    await page.locator('.summary-actions').waitFor({ state: 'attached' });
  };

  beforeAll(async () => {
    caller = await createCaller({ hasPaymentMethod: true });
    proxy = await UnreliableProxy.inFrontOf(caller.url);
    sampled = await compareWithoutSureLead();
    single = await compare({ checks: FIVE_CHECKS });
    web = await WebPage.open({ url: proxy.url, key: caller.key });
    page = web.page;
  });
  afterAll(() => web.end());

  it('a failure among many answers is counted at its model, and one click shows that answer', async () => {
    const stored = (await caller.get(`/api/v1/evals/${sampled}?include=details,checks,statistics`)).body;
    Object.assign(stored.results[3], {
      output: undefined,
      error: { code: 'unavailable', message: 'The vendor had an error of its own.', retryable: true },
    });
    proxy.next('GET', new RegExp(`^/api/v1/evals/${sampled}\\?`), {
      answer: { status: 200, body: JSON.stringify(stored) },
    });
    await page.setViewportSize({ width: 390, height: 844 });
    await open(sampled);
    expect(
      (await page.getByRole('navigation', { name: 'Answers' }).getByRole('button').allInnerTexts()).map((text) =>
        text.replace(/\s+/g, ' '),
      ),
    ).toEqual([expect.stringMatching(/sim-swift [\d.]+ m?s/), expect.stringMatching(/sim-sage ▲ 1 of 2/)]);
    await page.getByRole('button', { name: '1 failed' }).click();
    const sage = web.answer('sim-sage');
    await eventually(
      'the answer that failed is shown',
      async () => (await sage.getByRole('combobox').inputValue()) === '1',
    );
    await sage.getByText('The vendor had an error of its own.').waitFor();
    await eventually(
      'the column has the focus',
      async () => (await page.evaluate(() => document.activeElement?.id)) === 'answer-2',
    );
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('differences begin with the answers that are shown, and each answer is named by its model and number', async () => {
    await open(sampled);
    await web.answer('sim-sage').getByRole('button', { name: 'Next answer of sim-sage' }).click();
    await page.getByRole('button', { name: 'Differences' }).click();
    const chosen = async (label: string) =>
      await page
        .getByLabel(label, { exact: true })
        .evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text);
    await page.getByLabel('Base', { exact: true }).waitFor();
    expect([await chosen('Base'), await chosen('Other')]).toEqual(['sim-swift · 1', 'sim-sage · 2']);
    await page.getByLabel('Other', { exact: true }).selectOption({ label: 'sim-swift · 2' });
    await eventually(
      'the column shows the other answer',
      async () => (await web.answer('sim-swift').getByRole('combobox').inputValue()) === '1',
    );
  });

  it('a lead of two answers each may be luck, in the column and above; a lead of one answer each is not judged', async () => {
    await open(sampled);
    await page.locator('.figure-lead', { hasText: 'Cheapest, maybe luck' }).waitFor();
    await page.getByText('That may be luck: it takes at least 6 rounds to tell.').first().waitFor();
    await page.getByText('Figures of 2 samples').click();
    expect(
      await page
        .getByRole('table', { name: 'Statistics of the samples of each model' })
        .getByRole('columnheader')
        .allInnerTexts(),
    ).not.toContainEqual(expect.stringMatching(/^Passed/));
    await page.getByText('Samples', { exact: true }).waitFor();
    await open(single);
    await page.locator('.figure-lead', { hasText: 'Cheapest this time' }).waitFor();
    expect([
      await page.getByText('luck').count(),
      await page.getByText('Samples', { exact: true }).count(),
      await page.getByRole('combobox').count(),
    ]).toEqual([0, 0, 0]);
  });

  it('many checks that all pass are folded away, in the columns and above them', async () => {
    await open(single);
    const swift = web.answer('sim-swift');
    const list = swift.getByRole('list', { name: 'Checks' });
    await swift.getByText('All 5 checks passed').waitFor();
    expect([await list.isVisible(), await page.getByRole('table', { name: /pass each check/ }).isVisible()]).toEqual([
      false,
      false,
    ]);
    await swift.getByText('All 5 checks passed').click();
    expect(await list.getByRole('listitem').count()).toBe(5);
    await page.getByText('5 checks', { exact: true }).click();
    await page.getByText('has a length: at least 1 characters').waitFor();
  });

  it('an earlier eval is found by its whole address; where it asked otherwise, that is said first', async () => {
    const other = await compare({ models: ['sim-swift', 'sim-quill'], options: { temperature: 0.1 } });
    await open(other);
    await page.getByText('What has changed since an earlier eval?').click();
    await page.getByLabel('Earlier eval').fill(` ${caller.url}/evals/${single} `);
    await page.getByRole('button', { name: 'Show what changed' }).click();
    await page.getByText(/Their requests differ: .*temperature/).waitFor();
    await page.getByText('Only in the earlier eval sim-sage.').waitFor();
    await page.getByText('Only in the later eval sim-quill.').waitFor();
    expect(await page.getByRole('link', { name: 'the earlier eval' }).getAttribute('href')).toBe(`/evals/${single}`);
    await page.getByText(/^Changed text of sim-swift$/).click();
    await page.locator('.drift-words :is(ins, del)').first().waitFor();
  });

  it('of an eval that ran none again, nothing is compared, and the service says why', async () => {
    web.visit.expects(400, 404);
    await open(single);
    await page.getByText('What has changed since an earlier eval?').click();
    await page.getByRole('button', { name: 'Show what changed' }).click();
    await page.locator('.finding .problem').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('one model alone has no agreement', async () => {
    await open(await compare({ models: ['sim-swift'] }));
    expect(await page.getByText('Do the models agree?').count()).toBe(0);
  });

  it('again opens the form with its samples and checks', async () => {
    const id = await compare({
      prompt: '[[sim:slow=2000]] Name a city.',
      options: { samples: 2 },
      checks: [{ type: 'json', allow_fence: false, not: true }],
    });
    await open(id);
    await page.getByRole('button', { name: 'Edit and run', exact: true }).click();
    await page.getByText('2 samples · 1 check', { exact: true }).waitFor();
    await web.openEvaluation();
    const fence = page.getByLabel('Ignore a surrounding code fence');
    expect([await fence.isChecked(), await page.getByLabel('Must not match: negates the check').isChecked()]).toEqual([
      false,
      true,
    ]);
    await fence.check();
    await web.run();
    await page.getByRole('status').getByText('Running 2 models, 2 times each').waitFor();
    await web.untilEnded(2);
    expect((await latest()).checks.definitions).toEqual([
      expect.objectContaining({ type: 'json', not: true, allow_fence: true }),
    ]);
  });

  it('no more checks can be added than an answer may have', async () => {
    await page.goto('/');
    await web.fill({ prompt: 'Hello', models: MODELS });
    await web.openEvaluation();
    const count = async () => await page.locator('fieldset.check-fields').count();
    await page.getByLabel('Type of check').selectOption({ label: 'The answer is finished' });
    for (let checks = await count(); checks < 20; checks += 1) {
      await page.getByRole('button', { name: 'Add check' }).click();
      await page.locator('fieldset.check-fields').nth(checks).waitFor();
    }
    await page.getByText('An eval can have at most 20 checks.').waitFor();
    expect(await page.getByRole('button', { name: 'Add check' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove check 20' }).click();
    await page.getByRole('button', { name: 'Add check' }).waitFor();
  });

  it('what a key may not do is not offered', async () => {
    web.visit.expects(403);
    const tabWith = async (...scopes: string[]) =>
      await web.anotherTab(
        (await operator().post(`/api/v1/admin/users/${caller.userId}/keys`, { name: 'few scopes', scopes })).body
          .api_key as string,
      );
    const reader = await tabWith('models:read', 'evals:read');
    await reader.page.goto(`/evals/${single}`);
    await reader.page.getByText('Do the models agree?').waitFor();
    expect(await reader.page.getByRole('button', { name: 'Run again, show changes' }).count()).toBe(0);
    await reader.page.close();
    const runner = await tabWith('models:read', 'compare');
    await runner.compare({ prompt: 'Hello', models: MODELS });
    expect(await runner.page.getByText('Do the models agree?').count()).toBe(0);
    await runner.page.close();
  });
});
