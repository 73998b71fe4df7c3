import type { Page } from 'playwright-core';
import { createCaller, eventually, type Caller } from '../support/factories';
import { describeInBrowser } from './support/chromium';
import { sidewaysOverflow, smallTargets } from './support/layout';
import { look } from './support/look';
import { WebPage } from './support/web-page';

const MODELS = ['sim-swift', 'sim-sage', 'sim-titan'];
const SAMPLES = 6;

describeInBrowser('Checks and samples', () => {
  let caller: Caller;
  let web: WebPage;
  let page: Page;
  const found: string[] = [];

  beforeAll(async () => {
    caller = await createCaller({ hasPaymentMethod: true });
    web = await WebPage.open({ url: caller.url, key: caller.key });
    page = web.page;
    web.visit.expects(400);
  });
  afterEach(() => expect(found.splice(0)).toEqual([]));
  afterAll(() => web.end());

  /** Adds a check of that type and fills in its fields, by their labels. */
  async function addCheck(title: string, fields: Record<string, string>): Promise<void> {
    const count = await page.locator('fieldset.check-fields').count();
    await page.getByLabel('Type of check').selectOption({ label: `The answer ${title}` });
    await page.getByRole('button', { name: 'Add check' }).click();
    const check = page.locator('fieldset.check-fields').nth(count);
    await check.waitFor();
    for (const [label, text] of Object.entries(fields)) await check.getByLabel(label, { exact: true }).fill(text);
  }

  it('are filled in, priced before the run, kept over a reload, and every mistake is said where it is', async () => {
    await web.fill({ prompt: '[[sim:vary=3]] [[sim-titan:fail]] Name a city.', models: MODELS });
    await web.openEvaluation();
    await page.getByLabel('Samples', { exact: true }).fill('1.5');
    await addCheck('contains words', {});
    await web.run();
    await page.getByText('The number of samples must be a whole number, such as 5.').waitFor();
    await page.getByText('Check 1: “Words” is empty.').waitFor();
    await web.untilFocused(/^input field-samples$/);
    await page.getByLabel('Samples', { exact: true }).fill('41');
    await page.getByLabel('Words', { exact: true }).fill('the');
    await addCheck('has a length', { 'At most': '2000' });
    await page.getByText(/^No estimate: .*samples/).waitFor();
    await page.getByLabel('Samples', { exact: true }).fill(String(SAMPLES));
    await page.getByText('More than one sample is never free').waitFor();
    found.push(...(await look(page, 'checks-and-samples')));
    await page.reload();
    await web.showForm();
    await page.getByText(`${SAMPLES} samples · 2 checks`).waitFor();
  });

  it('fill one column a model, whose answers are switched within it, by buttons and by keys', async () => {
    await web.run();
    await page
      .locator('article.answer')
      .nth(MODELS.length - 1)
      .waitFor();
    expect(await page.locator('article.answer').count()).toBe(MODELS.length);
    await page.locator('.summary-actions').waitFor({ state: 'attached' });
    await page.getByText(`${SAMPLES * 2} of ${SAMPLES * 3}`).waitFor();
    const swift = web.answer('sim-swift');
    const choice = swift.getByRole('combobox');
    await choice.selectOption('0');
    await swift.getByRole('button', { name: 'Next answer of sim-swift' }).click();
    await eventually('the next answer is shown', async () => (await choice.inputValue()) === '1');
    await swift.focus();
    await page.keyboard.press('s');
    await eventually('the next answer is shown in every column', async () => (await choice.inputValue()) === '2');
    await page.keyboard.press('Shift+S');
    await eventually('the answer before is shown again', async () => (await choice.inputValue()) === '1');
    const { body } = await caller.get(
      `/api/v1/evals/${(await caller.get('/api/v1/evals?limit=1')).body.evals[0].eval_id}`,
    );
    const position = (body.models as string[]).indexOf('sim-swift');
    expect(await swift.locator('.answer-body').innerText()).toContain(
      (body.results[MODELS.length + position].output as string).slice(0, 20).trim(),
    );
  });

  it('show verdicts on every answer and what each check says of each model', async () => {
    const swift = web.answer('sim-swift');
    await swift.getByText(/of 2 checks in this sample/).waitFor();
    await page.getByText('Figures of 6 samples and 2 checks').click();
    expect(await swift.getByRole('list', { name: 'Checks' }).getByRole('listitem').count()).toBe(2);
    const table = page.getByRole('table', { name: 'How many answers of each model pass each check' });
    await table.waitFor();
    expect(await table.getByRole('rowheader').count()).toBe(2);
  });

  it('show medians with their intervals as the service has them, and say in words what an interval means', async () => {
    const id = (await caller.get('/api/v1/evals?limit=1')).body.evals[0].eval_id as string;
    const { statistics } = (await caller.get(`/api/v1/evals/${id}?include=statistics`)).body;
    const row = page
      .getByRole('table', { name: 'Statistics of the samples of each model' })
      .getByRole('row', { name: /sim-swift/ });
    const [low, high] = statistics.models[0].latency_ms.p50_ci as [number, number];
    const text = (ms: number) => (ms < 1000 ? `${Math.floor(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);
    await row
      .getByText(
        new RegExp(
          `^${Math.floor(low)}(?:\\.\\d+)? to ${Math.floor(high)}(?:\\.\\d+)? ms$|^${text(low)} to ${text(high)}$`,
        ),
      )
      .first()
      .waitFor();
    await page.getByText('for this prompt, in these 6 rounds').waitFor();
    const said = page.getByRole('list', { name: 'What the samples say' });
    expect(await said.getByText(/luck\.|equally|busy moment/).count()).toBe(2);
    expect(await said.innerText()).toContain(`sim-swift ${statistics.models[0].checks.passed} of ${SAMPLES}`);
    await page.getByText(statistics.fastest.because as string).waitFor();
    found.push(...(await look(page, 'samples')));
  });

  it('explain each figure in place: by click or key, closed by Escape, with a link to the guide', async () => {
    const help = page.getByRole('button', { name: 'What is this? Latency, median' });
    await help.press('Enter');
    await page.getByText('Half of the answers took less time').waitFor();
    found.push(...(await look(page, 'help')));
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe(
      '/docs/guide/checks-and-statistics#ranges',
    );
    await page.keyboard.press('Escape');
    await page.getByText('Half of the answers took less time').waitFor({ state: 'hidden' });
    await web.untilFocused(/^button What is this\? Latency, median$/);
  });

  it('say which models agree, when it is asked', async () => {
    await page.getByText('Do the models agree?').click();
    const matrix = page.getByRole('table', { name: /How often two models agree/ });
    await matrix.waitFor();
    await matrix.scrollIntoViewIfNeeded();
    found.push(...(await look(page, 'agreement')));
  });

  it('are run again after an estimate, and the changes are shown with the old eval', async () => {
    const [old] = (await caller.get('/api/v1/evals?limit=1')).body.evals as { eval_id: string }[];
    const before = await caller.get(`/api/v1/evals/${old?.eval_id}`);
    await page.goto(`/evals/${old?.eval_id}`);
    await page.getByRole('button', { name: 'Run again, show changes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run this eval again?' });
    await dialog.getByText(/^\$0\.\d+ to \$0\.\d+$/).waitFor();
    await web.untilFocused(/^button Cancel$/);
    found.push(...(await look(page, 'rerun')));
    await dialog.getByRole('button', { name: 'Run again' }).click();
    const table = page.getByRole('table', { name: 'What changed for each model' });
    await table.waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect((await caller.get(`/api/v1/evals/${old?.eval_id}`)).text).toBe(before.text);
    const [later] = (await caller.get('/api/v1/evals?limit=1')).body.evals as { eval_id: string }[];
    expect(later?.eval_id).not.toBe(old?.eval_id);
    expect(await table.getByRole('rowheader').allInnerTexts()).toEqual(MODELS);
    await page.getByRole('link', { name: 'the later one' }).waitFor();
    await page
      .getByText(/luck explains|change from luck/)
      .first()
      .waitFor();
    found.push(...(await look(page, 'drift')));

    await page.goto(`/evals/${later?.eval_id}`);
    await page.getByText('What has changed since an earlier eval?').click();
    await page.getByRole('button', { name: 'Show what changed' }).click();
    await table.waitFor();
    await page.getByLabel('Earlier eval').fill('nonsense');
    await page.getByRole('button', { name: 'Show what changed' }).click();
    await page.locator('.finding .problem').waitFor();
  });

  it('are worked by fingers on a phone of 390 pixels: nothing is too wide, and what is touched is large enough', async () => {
    const phone = await WebPage.open({ url: caller.url, key: caller.key, width: 390, touch: true });
    await phone.fill({ prompt: '[[sim:vary=3]] Name a city.', models: MODELS.slice(0, 2) });
    await phone.openEvaluation();
    await phone.page.getByRole('button', { name: 'What is this? samples' }).tap();
    await phone.page.getByText('because one answer proves little').waitFor();
    await phone.page.keyboard.press('Escape');
    await phone.page.getByLabel('Samples', { exact: true }).fill('2');
    await phone.page.getByLabel('Type of check').selectOption({ label: 'The answer is finished' });
    await phone.page.getByRole('button', { name: 'Add check' }).tap();
    await phone.page.getByText('Name, weight, negation').tap();
    const fits = async () =>
      expect([await sidewaysOverflow(phone.page), await smallTargets(phone.page)]).toEqual([
        { pixels: 0, elements: [] },
        [],
      ]);
    await fits();
    await phone.page.getByRole('button', { name: /^Run/ }).tap();
    await phone.page.locator('.summary-actions').waitFor({ state: 'attached' });
    await phone.page.getByText('Do the models agree?').tap();
    await phone.page.getByRole('table', { name: /How often two models agree/ }).waitFor();
    await fits();
    const swift = phone.answer('sim-swift');
    await swift.getByRole('combobox').selectOption('0');
    await swift.getByRole('button', { name: 'Next answer of sim-swift' }).tap();
    await eventually('the next answer is shown', async () => (await swift.getByRole('combobox').inputValue()) === '1');
    await phone.end();
  });
});
