import type { Page } from 'playwright-core';
import type { Api } from '../support/api';
import { createCaller, eventually } from '../support/factories';
import { look } from './support/look';
import { WebPage } from './support/web-page';

const MODELS = ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan'];

describe('The words and pictures of the page', () => {
  let caller: Api;
  let web: WebPage;
  let page: Page;

  beforeAll(async () => {
    caller = await createCaller({ hasPaymentMethod: true });
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
    await open({ models: ['sim-swift', 'sim-quill'], checks: [{ type: 'contains', values: ['Rome'] }, { type: 'length', max: 3, unit: 'characters' }] });
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
    await open({ prompt: '[[sim:say= ]]', models: [...MODELS, 'sim-sage@none', 'sim-sage@low', 'sim-sage@medium', 'sim-sage@high'] });
    expect(await page.locator('.badges').allInnerTexts()).toEqual(Array.from({ length: 8 }, () => ''));
    for (const badges of await page.locator('.badges').all()) expect((await badges.boundingBox())?.height).toBe(0);
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

  it('a paused experiment goes on from the list, or says why not, and its models have one order in all its parts', async () => {
    const { body: dataset } = await caller.post('/api/v1/datasets?name=rows', Array.from({ length: 6 }, (_, i) => JSON.stringify({ id: `r${i}`, input: `Row ${i}`, expected: 'Rome' })).join('\n'), { headers: { 'content-type': 'application/x-ndjson' } });
    const { body: { experiment_id: id } } = await caller.post('/api/v1/experiments', { dataset: dataset.dataset_id, prompt: '[[sim-quill:say=Rome]] [[sim-swift:say=Paris]] [[sim-sage:say=Rome]] {input}', models: MODELS.slice(0, 3), checks: [{ type: 'equals', value: '{expected}' }], max_cost_usd: 1 });
    await caller.patch(`/api/v1/experiments/${id}`, { state: 'paused' });
    await page.goto('/experiments');
    const line = page.getByRole('listitem').filter({ hasText: 'Experiment with sim-swift, sim-quill, sim-sage' });
    const resume = line.getByRole('button', { name: 'Resume' });
    await resume.waitFor();
    expect(await look(page, 'words-list')).toEqual([]);
    await resume.click();
    await line.getByText('running').waitFor();
    await eventually('it has ended', async () => (await caller.get(`/api/v1/experiments/${id}`)).body.state === 'finished');
    await page.goto(`/experiments/${id}`);
    await page.getByText('Ended').waitFor();
    await page.locator('.ranking-name').nth(2).waitFor();
    await page.locator('.rows-table tbody tr:first-child .outcome').nth(2).waitFor();
    const order = async (selector: string) => (await page.locator(selector).allInnerTexts()).map((text) => /sim-\w+/.exec(text)?.[0]);
    const places = await order('.ranking-name');
    expect(places[2]).toBe('sim-swift');
    expect([await order('section[aria-label=Figures] tbody th'), await order('.experiment-facts > span:not(.quiet)'), (await order('.rows-table tbody tr:first-child .outcome'))]).toEqual([places, places, places]);
    expect(await look(page, 'words-experiment')).toEqual([]);
  });
});
