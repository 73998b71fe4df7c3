import { endedExperiment } from '../support/ended-experiment';
import { createCaller, eventually, type Caller } from '../support/factories';
import { anotherKey } from '../support/ledger';
import { describeInBrowser } from './support/chromium';
import { look } from './support/look';
import { Visit } from './support/visit';
import { WebPage } from './support/web-page';

const MODELS = ['sim-swift', 'sim-titan'];

describeInBrowser('A decision on the page', () => {
  let caller: Caller;
  let web: WebPage;
  const found: string[] = [];

  beforeAll(async () => {
    caller = await createCaller({ hasPaymentMethod: true });
    web = await WebPage.open({ url: caller.url, key: caller.key });
  });
  afterEach(() => expect(found.splice(0)).toEqual([]));
  afterAll(() => web.end());

  const headline = () => web.page.locator('.experiment-headline').first();
  const table = () => web.page.getByRole('table', { name: 'Answers by row and model' });

  /** An experiment in which sim-titan passes every row, and sim-swift all but the first two. */
  async function ended(count: number, about: object = {}): Promise<string> {
    const { body } = await caller.post('/api/v1/datasets', {
      rows: Array.from({ length: count }, (_, no) => ({
        input: `Row ${no}`,
        expected: 'right',
        variables: { swift: no < 2 ? 'wrong, or so' : 'right' },
      })),
    });
    const started = await caller.post('/api/v1/experiments', {
      dataset: body.dataset_id,
      prompt: '{input} [[sim-swift:say={swift}]] [[sim-titan:say=right]]',
      models: MODELS,
      checks: [{ type: 'equals', value: '{expected}' }],
      max_cost_usd: 1,
      ...about,
    });
    const id = started.body.experiment_id as string;
    await endedExperiment(caller, id);
    return id;
  }

  it('goes from one click to a link that shows what to take', async () => {
    const { page } = web;
    await page.goto('/experiments');
    await page.getByRole('button', { name: /^Try it/ }).waitFor();
    found.push(...(await look(page, 'experiments-empty')));
    await page.getByRole('button', { name: /^Try it: 20 support tickets/ }).click();
    await page.locator('.experiment-facts').getByText('finished').waitFor();
    await headline()
      .getByText(/^Take sim-titan: .* sim-swift costs 94 % less and cannot be told apart/)
      .waitFor();
    await page.getByRole('img', { name: /^Share that passed/ }).waitFor();
    await eventually('rows that differ come first', async () => (await table().getByRole('row').count()) > 5);
    await page.getByLabel(/Accept up to/).fill('20');
    await headline()
      .getByText(/^Take sim-titan: .* cannot be told apart/)
      .waitFor();
    found.push(...(await look(page, 'experiment-finished')));
    await page.getByRole('button', { name: 'Decide …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Decide' });
    expect(await dialog.getByLabel('Take').inputValue()).toBe('sim-titan');
    await dialog.getByLabel('Take').selectOption('sim-swift');
    await dialog.getByLabel(/^Reason/).fill('As good for us.');
    found.push(...(await look(page, 'experiment-decide')));
    await dialog.getByRole('button', { name: 'Keep the decision' }).click();
    await headline().getByText('Decided: sim-swift').waitFor();
    const { experiments } = (await caller.get('/api/v1/experiments')).body;
    expect(experiments[0].decision).toMatchObject({ model: 'sim-swift', reason: 'As good for us.', tolerance: 0.2 });
    expect(await page.locator('.experiment-actions .button-primary').allInnerTexts()).toEqual(['Share']);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('button', { name: 'Create a link' }).click();
    const url = await page.getByLabel('The link, shown only now').inputValue();
    await page.keyboard.press('Escape');
    const visit = await Visit.open({ url: caller.url });
    await visit.page.goto(url);
    await visit.page.getByText('Decided: sim-swift').waitFor();
    await visit.page.getByRole('img', { name: /^Share that passed/ }).waitFor();
    const text = await visit.page.locator('body').innerText();
    for (const secret of ['As good for us', 'Which team', 'invoice', 'by test'])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
    expect(await visit.page.title()).toContain('Experiment with sim-swift, sim-quill, sim-titan');
    found.push(...(await look(visit.page, 'shared-experiment')));
    await visit.page.emulateMedia({ media: 'print' });
    const pdf = (await visit.page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await visit.end();
  }, 120_000);

  it('tries another prompt on the same rows, and opens the comparison by itself', async () => {
    const { page } = web;
    const id = await ended(30, { name: 'Prompt one', options: { temperature: 0 }, max_cost_usd: 0.75 });
    await page.goto(`/experiments/${id}`);
    await page.getByRole('link', { name: 'Try another prompt' }).click();
    await eventually('the form is filled', async () =>
      (await web.prompt.inputValue()).startsWith('{input} [[sim-swift'),
    );
    expect(await page.getByLabel('Cap, $').inputValue()).toBe('0.75');
    for (const model of MODELS)
      expect(await page.getByRole('checkbox', { name: new RegExp(`^${model}`) }).isChecked()).toBe(true);
    await web.prompt.fill('{input} [[sim:say=right]]');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('.experiment-facts').getByText('finished').waitFor();
    await page.getByRole('region', { name: 'Both experiments' }).waitFor();
    const { experiments } = (await caller.get('/api/v1/experiments')).body;
    expect(experiments[0]).toMatchObject({
      name: 'Prompt one, another prompt',
      options: { temperature: 0 },
      checks: [{ type: 'equals', value: '{expected}' }],
      max_cost_usd: 0.75,
    });
    found.push(...(await look(page, 'experiment-comparison')));
  });

  it('proposes the check of the expected answers, offers the last prompt, and asks once before it starts without a check', async () => {
    const { page } = web;
    await page.goto('/');
    await web.fill({ prompt: 'The prompt of my last compare', models: MODELS });
    await web.openTurns();
    await page.getByRole('button', { name: 'Add turn' }).click();
    await page.getByLabel('Text of turn 1').fill('Before it');
    const turns = page.locator('#field-history summary');
    await page.goto('/experiments/new');
    await web.prompt.waitFor();
    expect([await web.prompt.inputValue(), await turns.textContent()]).toEqual(['', 'Add earlier turns']);
    await page.getByLabel('File of rows').setInputFiles({
      name: 'rows.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('input,expected\nA,Rome\nB,Rome\n'),
    });
    await page.getByRole('button', { name: 'Upload the rows' }).click();
    const check = page.getByRole('group', { name: 'Check against the expected answer' });
    const pressed = async () => [
      await check.getByRole('button', { name: /equals/ }).getAttribute('aria-pressed'),
      await check.getByRole('button', { name: /contains/ }).getAttribute('aria-pressed'),
    ];
    await check.waitFor();
    expect(await pressed()).toEqual(['true', 'false']);
    await page.getByRole('button', { name: 'Use the prompt of your last compare' }).click();
    expect(await web.prompt.inputValue()).toBe('The prompt of my last compare');
    expect(await turns.textContent()).toBe('Earlier turns1 turn');
    found.push(...(await look(page, 'experiment-new')));
    await page.getByLabel('Cap, $').fill('1');
    await check.getByRole('button', { name: /contains/ }).click();
    expect(await pressed()).toEqual(['false', 'true']);
    await check.getByRole('button', { name: /contains/ }).click();
    expect(await pressed()).toEqual(['false', 'false']);
    const before = (await caller.get('/api/v1/experiments')).body.experiments.length;
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const sure = page.getByRole('button', { name: 'Start without a check: nothing will be called better' });
    await sure.waitFor();
    expect((await caller.get('/api/v1/experiments')).body.experiments).toHaveLength(before);
    await sure.click();
    await page.locator('.experiment-facts').getByText('finished').waitFor();
    await headline().getByText('No model is recommended: no check decided an answer.').waitFor();
    const { options } = (await caller.get('/api/v1/experiments')).body.experiments[0];
    expect(options.history).toEqual([{ role: 'user', content: 'Before it' }]);
    // The form of the compare has its own prompt.
    await page.getByRole('link', { name: 'Compare', exact: true }).first().click();
    expect(await web.prompt.inputValue()).toBe('The prompt of my last compare');
    expect(await turns.textContent()).toBe('Earlier turns1 turn');
  });

  it('shows a row for each key, whole in a drawer, and the pages of rows as they come into view', async () => {
    const { page } = web;
    const id = await ended(120);
    await page.goto(`/experiments/${id}`);
    const heads = () => table().locator('.matrix-open');
    await eventually('the two rows that differ', async () => (await heads().count()) === 2);
    // The words that the answer of the first model has not.
    expect(await table().locator('mark').allTextContents()).toEqual(['right', 'right']);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(
      await heads()
        .nth(1)
        .evaluate((head) => head === document.activeElement),
    ).toBe(true);
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: /^Row \d+:/ });
    await drawer.getByText('wrong, or so').waitFor();
    await drawer.getByRole('button', { name: 'Next row' }).click();
    await drawer.getByText('wrong, or so').waitFor();
    expect(await drawer.getByRole('button', { name: 'Next row' }).count()).toBe(0);
    found.push(...(await look(page, 'experiment-row')));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await eventually('the first page', async () => (await heads().count()) >= 15);
    await eventually('all rows, as the reader scrolls', async () => {
      await page.mouse.wheel(0, 20_000);
      return (await heads().count()) === 120;
    });
    expect(await page.getByRole('button', { name: 'More rows' }).count()).toBe(0);
  });

  it('copies the report, saves the rows, and erases last', async () => {
    const { page } = web;
    const id = await ended(12);
    await page.goto(`/experiments/${id}`);
    const more = page.locator('summary', { hasText: '⋯' });
    await more.click();
    expect(await page.locator('.more-menu-items > *').allInnerTexts()).toEqual([
      'Copy as Markdown',
      'Save rows as CSV',
      'Print',
      'Erase …',
    ]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    const { text } = await caller.get(`/api/v1/experiments/${id}/report`, { headers: { accept: 'text/markdown' } });
    await eventually(
      'the report is in the clipboard',
      async () => (await page.evaluate(() => navigator.clipboard.readText())) === text,
    );
    await more.click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save rows as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    await more.click();
    await page.getByRole('button', { name: 'Erase …' }).click();
    await page.getByRole('dialog', { name: 'Erase this experiment?' }).getByRole('button', { name: 'Erase' }).click();
    await page.locator('.experiment-facts').getByText('erased').waitFor();
    expect((await caller.get(`/api/v1/experiments/${id}`)).body.prompt).toBeNull();
  });

  it('shows to a key without the scope what was found, and nothing to change', async () => {
    const id = await ended(12);
    const reader = await anotherKey(caller, { scopes: ['experiments:read', 'evals:read', 'models:read'] });
    const tab = await web.anotherTab(reader.key ?? '');
    await tab.page.goto(`/experiments/${id}`);
    await tab.page.locator('.experiment-headline').first().waitFor();
    expect(await tab.page.locator('.experiment-actions :is(button, a)').allInnerTexts()).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/Decide|Erase|another prompt/)]),
    );
    await tab.page.close();
  });
});
