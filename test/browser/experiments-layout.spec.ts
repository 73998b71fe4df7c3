import { createCaller } from '../support/factories';
import { axeViolations } from './support/axe';
import { describeInBrowser } from './support/chromium';
import { sidewaysOverflow } from './support/layout';
import { UnreliableProxy } from './support/unreliable-proxy';
import { WebPage } from './support/web-page';

describeInBrowser('The screen of an experiment', () => {
  it('fits eight models with long names, also on a phone', async () => {
    const caller = await createCaller({ hasPaymentMethod: true });
    const proxy = await UnreliableProxy.inFrontOf(caller.url);
    const web = await WebPage.open({ url: proxy.url, key: caller.key });
    const { page } = web;
    const rowsOfFile = Array.from({ length: 4 }, (_, i) =>
      JSON.stringify({ input: `Row ${i}`, expected: 'Rome' }),
    ).join('\n');
    const { body: dataset } = await caller.post('/api/v1/datasets?name=rows', rowsOfFile, {
      headers: { 'content-type': 'application/x-ndjson' },
    });
    const { body: started } = await caller.post('/api/v1/experiments', {
      dataset: dataset.dataset_id,
      prompt: '[[sim:say=Rome]] {input}',
      models: ['sim-swift', 'sim-sage'],
      checks: [{ type: 'contains', values: ['{expected}'] }],
      max_cost_usd: 1,
    });
    const id = started.experiment_id as string;
    await page.goto(`/experiments/${id}`);
    await page.locator('.experiment-facts').getByText('finished', { exact: true }).waitFor();
    const names = Array.from(
      { length: 8 },
      (_, i) => `a-vendor/${i}_model_whose_name_${'has_no_place_to_break_'.repeat(4)}`,
    );
    const path = `/api/v1/experiments/${id}`;
    const [experiment, summary, { rows }] = await Promise.all(
      [path, `${path}/summary`, `${path}/rows`].map(async (each) => (await caller.get(each)).body),
    );
    const shown = {
      [path]: { ...experiment, name: null, models: names, reason: 'model_gone', reason_detail: `${names[0]} is gone.` },
      [`${path}/summary`]: {
        ...summary,
        headline: `${names[0]} is better than ${names[1]}.`,
        warnings: names.map((name) => `${name} gave few answers.`),
        models: names.map((model) => ({ ...summary.models[0], model })),
        ranking: { ...summary.ranking, models: names.map((model) => ({ model, rank: { best: 1, worst: 8 } })) },
        pairs: names.slice(1).flatMap((name) =>
          ['passed', 'cost_usd'].map((metric) => ({
            ...summary.pairs[0],
            metric,
            models: [names[0], name],
            words: `${names[0]} passes more often than ${name}.`,
          })),
        ),
      },
      [`${path}/rows`]: {
        rows: rows.map((row: { results: object[] }) => ({
          ...row,
          results: names.flatMap((model) => Array.from({ length: 10 }, () => ({ ...row.results[0], model }))),
        })),
      },
    };
    for (const [each, body] of Object.entries(shown))
      proxy.next('GET', new RegExp(`^${each}(\\?|$)`), { answer: { status: 200, body: JSON.stringify(body) } }, 100);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`/experiments/${id}`);
      await page
        .getByRole('table', { name: 'Answers by row and model' })
        .getByText('10 of 10 passed')
        .nth(31)
        .waitFor();
      await page.getByText('Pair by pair: cost').click();
      expect([await sidewaysOverflow(page), await axeViolations(page)]).toEqual([{ pixels: 0, elements: [] }, []]);
    }
    await web.end();
  });
});
