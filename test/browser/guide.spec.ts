import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { endedExperiment } from '../support/ended-experiment';
import { createCaller } from '../support/factories';
import { read } from '../conventions/docs.markdown';
import { describeInBrowser } from './support/chromium';
import { look } from './support/look';
import { Visit } from './support/visit';

/** `GUIDE_PICTURES=1` writes the pictures of the guide again. */
const FOLDER = join(
  __dirname,
  '../..',
  process.env['GUIDE_PICTURES'] === '1' ? 'docs/guides/pictures' : '.local/screenshots',
);

async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  writeFileSync(join(FOLDER, `${name}.webp`), Buffer.from(data, 'base64'));
}

describeInBrowser('The guide in a browser', () => {
  it('has nothing that axe finds, fits a phone, and is reached from the page', async () => {
    const caller = await createCaller();
    const visit = await Visit.open({ url: caller.url });
    const { page } = visit;
    const found: string[] = [];
    for (const name of ['', '/choose-a-model', '/errors', '/streaming', '/nothing']) {
      if (name === '/nothing') visit.expects(404);
      await page.goto(`/docs/guide${name}`);
      found.push(...(await look(page, `guide${name.replace('/', '-')}`)));
    }
    expect(found).toEqual([]);
    await page.goto('/');
    await Promise.all([
      page.waitForURL('**/docs/guide'),
      page.getByRole('link', { name: 'Guide', exact: true }).first().click(),
    ]);
    expect(await page.title()).toContain('Guide');
    await visit.end();
  }, 400_000);

  it('shows the eval of "Choose a model" as its pictures do', async () => {
    const caller = await createCaller();
    const [, one = '', more = ''] =
      /^PROMPT='([^']+)'\nPROMPT="\$PROMPT ([^"]+)"/m.exec(read('docs/guides/choose-a-model.md')) ?? [];
    const models = ['sim-swift', 'sim-quill', 'sim-titan'];
    const body = {
      prompt: `${one} ${more}`,
      input: 'Where is my money?',
      models,
      checks: [{ type: 'equals', value: 'refund' }],
    };
    await caller.post('/api/v1/compare', body);
    const { body: done } = await caller.post('/api/v1/compare', { ...body, options: { samples: 8 } });
    const visit = await Visit.open({ url: caller.url });
    const { page } = visit;
    await page.setViewportSize({ width: 1100, height: 760 });
    await page.goto('/');
    await page.getByLabel('API key', { exact: true }).fill(caller.key ?? '');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('API key', { exact: true }).waitFor({ state: 'detached' });
    await page.goto(`/evals/${done.eval_id}`);
    await page.getByText('This is about a refund.').first().waitFor();
    for (const name of models)
      expect(await page.getByRole('article', { name }).innerText()).toMatch(/\d m?s\b[^]*[$¢]/);
    await picture(page, 'choose-result');
    await page.goto('/history');
    await page.getByText('A customer writes').first().waitFor();
    await page.setViewportSize({ width: 1100, height: 420 });
    await picture(page, 'choose-history');
    await visit.end();
  });

  it('shows the shared decision of "From a CSV to a decision" as its picture does', async () => {
    const caller = await createCaller({ hasPaymentMethod: true });
    const [, one = '', more = ''] =
      /^PROMPT='([^']+)'\nPROMPT="\$PROMPT ([^"]+)"/m.exec(read('docs/experiments.md')) ?? [];
    const { body: dataset } = await caller.post('/api/v1/datasets', read('docs/examples/support-tickets.csv'), {
      headers: { 'content-type': 'text/csv' },
    });
    const { body: started } = await caller.post('/api/v1/experiments', {
      dataset: dataset.dataset_id,
      name: 'Tickets, first prompt',
      prompt: `${one} ${more}`,
      models: ['sim-swift', 'sim-quill', 'sim-titan'],
      checks: [{ type: 'equals', value: '{expected}' }],
      options: { temperature: 0 },
      max_cost_usd: 1,
    });
    const id = started.experiment_id as string;
    await endedExperiment(caller, id);
    await caller.call('PUT', `/api/v1/experiments/${id}/decision`, { model: 'sim-titan' });
    const { body: share } = await caller.post('/api/v1/shares', { subject: id });
    const visit = await Visit.open({ url: caller.url });
    const { page } = visit;
    await page.setViewportSize({ width: 1100, height: 900 });
    await page.goto(share.url);
    await page.getByText('Decided: sim-titan').waitFor();
    await page.getByRole('img', { name: /^Share that passed/ }).waitFor();
    await picture(page, 'decision-shared');
    await visit.end();
  });
});
