import type { Page } from 'playwright-core';
import { operator } from '../support/api';
import { createCaller, eventually, type Caller } from '../support/factories';
import { describeInBrowser } from './support/chromium';
import { look } from './support/look';
import { freshService } from './support/own-service';
import { WebPage } from './support/web-page';

const MODELS = ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan'];

describeInBrowser('The words and pictures of the page', () => {
  let caller: Caller;
  let web: WebPage;
  let page: Page;

  beforeAll(async () => {
    const { service } = await freshService({ BILLING_ENFORCEMENT: 'require_payment_method' });
    caller = await createCaller({ at: service.url, hasPaymentMethod: true });
    web = await WebPage.open({ url: caller.url, path: `/#key=${caller.key ?? ''}` });
    page = web.page;
  });
  afterAll(() => web.end());

  const open = async (members: object): Promise<void> => {
    const { body } = await caller.post('/api/v1/compare', { prompt: '[[sim:say=Rome]]', models: MODELS, ...members });
    await page.goto(`/evals/${body.eval_id}`);
    await web.untilEnded(body.models.length);
  };

  it('the notice of a link has a Close of one line, on the phone too', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const close = page.getByRole('region', { name: 'Key of the link' }).getByRole('button', { name: 'Close' });
    const box = await close.boundingBox();
    expect([(box?.height ?? 99) < 50, (box?.width ?? 0) > 50]).toEqual([true, true]);
    expect(await look(page, 'words-notice')).toEqual([]);
    await close.click();
  });

  it('an answer that fails one of two checks says so in the strip, and none without checks has a sign of them', async () => {
    await open({
      models: ['sim-swift', 'sim-quill'],
      checks: [
        { type: 'contains', values: ['Rome'] },
        { type: 'length', max: 3, unit: 'characters' },
      ],
    });
    const strip = page.getByRole('navigation', { name: 'Answers' });
    await strip.getByRole('button', { name: /sim-swift.*fails 1 of 2 checks/ }).waitFor();
    expect(await strip.innerText()).toMatch(/✗/);
    expect(await look(page, 'words-checks')).toEqual([]);
    await open({});
    expect(await strip.innerText()).not.toMatch(/[✓✗]/);
  });

  it('an empty answer says so, and has no badge', async () => {
    await open({ prompt: '[[sim-swift:say= ]] [[sim-quill:slow=2000]]', models: ['sim-swift', 'sim-quill'] });
    await web.answer('sim-swift').getByText('Empty answer').waitFor();
    expect(await web.answer('sim-swift').locator('.badges').innerText()).not.toMatch(/this time/);
    expect(await look(page, 'words-empty')).toEqual([]);
  });

  it('the head of columns has no empty lines, also where some models think', async () => {
    await open({
      prompt: '[[sim:say= ]]',
      models: [...MODELS, 'sim-sage@none', 'sim-sage@low', 'sim-sage@medium', 'sim-sage@high'],
    });
    expect(await page.locator('.badges').allInnerTexts()).toEqual(Array.from({ length: 8 }, () => ''));
    for (const badges of await page.locator('.badges').all()) expect((await badges.boundingBox())?.height).toBe(0);
    for (const name of await page.locator('.answer-head h2').all())
      expect((await name.boundingBox())?.height).toBeLessThan(32);
    expect(await look(page, 'words-head')).toEqual([]);
  });

  it('Usage counts the free evals that are not charged', async () => {
    await page.goto('/usage');
    await page.getByText(/^4 free evals not counted$/).waitFor();
    expect(await look(page, 'words-usage')).toEqual([]);
  });

  it('/evals/ without an id is the history', async () => {
    await page.goto('/evals/');
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
  });

  it('a list of evals has no latencies, so the history calls no model the fastest', async () => {
    await open({});
    await page.goto('/history');
    await page.locator('.history-line').first().waitFor();
    expect(await page.locator('.history').innerText()).not.toMatch(/fastest/i);
    expect(await look(page, 'words-history')).toEqual([]);
  });

  /** Starts an experiment that runs for seconds, so that it can be paused in the middle. */
  const start = async (members: object): Promise<string> => {
    const { body: dataset } = await caller.post(
      '/api/v1/datasets?name=rows',
      Array.from({ length: 6 }, (_, i) => JSON.stringify({ id: `r${i}`, input: `Row ${i}`, expected: 'Rome' })).join(
        '\n',
      ),
      { headers: { 'content-type': 'application/x-ndjson' } },
    );
    const { body } = await caller.post('/api/v1/experiments', {
      dataset: dataset.dataset_id,
      prompt: '[[sim:slow=1000]] {input}',
      models: MODELS.slice(0, 3),
      checks: [{ type: 'equals', value: '{expected}' }],
      parallel: 1,
      max_cost_usd: 1,
      ...members,
    });
    return body.experiment_id as string;
  };
  const lineOf = (name: string) => page.getByRole('listitem').filter({ hasText: name });

  it('the list raises the cap that was reached', async () => {
    const id = await start({ name: 'Capped', max_cost_usd: 0.0000001 });
    await eventually(
      'the cap is reached',
      async () => (await caller.get(`/api/v1/experiments/${id}`)).body.reason === 'cap_reached',
    );
    await page.goto('/experiments');
    const line = lineOf('Capped');
    await line.getByRole('button', { name: 'Raise the cap' }).click();
    await page.getByLabel('Cap, $').fill('2.5');
    await page.getByRole('button', { name: 'Set the cap' }).click();
    await line.getByText('of $2.50').waitFor();
    await line.getByText('paused').waitFor({ state: 'detached' });
  });

  it('the list says why a paused experiment does not go on', async () => {
    web.visit.expects(402, 409);
    const [paid, erased] = [await start({ name: 'Paid' }), await start({ name: 'Gone' })];
    for (const id of [paid, erased]) await caller.patch(`/api/v1/experiments/${id}`, { state: 'paused' });
    await page.goto('/experiments');
    const resume = async (name: string, refusal: string): Promise<void> => {
      await lineOf(name).getByRole('button', { name: 'Resume' }).click();
      await lineOf(name).getByRole('alert').getByText(refusal).waitFor();
      await lineOf(name).getByText('paused: by you').waitFor();
    };
    await lineOf('Gone').getByRole('button', { name: 'Resume' }).waitFor();
    await caller.delete(`/api/v1/experiments/${erased}`);
    await resume('Gone', 'This experiment was erased.');
    await operator(caller.url).patch(`/api/v1/admin/users/${caller.userId}`, { has_payment_method: false });
    await resume('Paid', 'Experiments are not free, and no payment method is on file.');
    await operator(caller.url).patch(`/api/v1/admin/users/${caller.userId}`, { has_payment_method: true });
    expect(await look(page, 'words-refused')).toEqual([]);
  });

  it('a paused experiment goes on from the list, and its models have one order in all its parts', async () => {
    const id = await start({
      prompt: '[[sim:slow=1000]] [[sim-quill:say=Rome]] [[sim-swift:say=Paris]] [[sim-sage:say=Rome]] {input}',
    });
    await caller.patch(`/api/v1/experiments/${id}`, { state: 'paused' });
    await page.goto('/experiments');
    const line = lineOf('Experiment with sim-swift, sim-quill, sim-sage');
    const resume = line.getByRole('button', { name: 'Resume' });
    await resume.waitFor();
    expect(await look(page, 'words-list')).toEqual([]);
    await resume.click();
    await line.getByText('running').waitFor();
    await eventually(
      'it has ended',
      async () => (await caller.get(`/api/v1/experiments/${id}`)).body.state === 'finished',
    );
    await page.goto(`/experiments/${id}`);
    await page.getByText('Ended').waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.locator('.matrix-row .outcome').nth(2).waitFor();
    await page.locator('section[aria-label=Figures] tbody th').nth(2).waitFor();
    const order = async (selector: string) =>
      (await page.locator(selector).allInnerTexts()).map((text) => /sim-\w+/.exec(text)?.[0]);
    const places = await order('section[aria-label=Figures] tbody th');
    expect(places[2]).toBe('sim-swift');
    expect([
      (await order('.matrix-head > span')).slice(1),
      await order('.experiment-facts > span:not(.quiet)'),
      await page
        .locator('.matrix-row .outcome')
        .evaluateAll((cells) => cells.slice(0, 3).map((cell) => (cell as HTMLElement).dataset['model'])),
    ]).toEqual([places, places, places]);
    expect(await look(page, 'words-experiment')).toEqual([]);
  });
});
