import type { Page } from 'playwright-core';
import { endedExperiment } from '../support/ended-experiment';
import { createCaller, eventually, type Caller } from '../support/factories';
import { describeInBrowser } from './support/chromium';
import { look } from './support/look';
import { Visit } from './support/visit';
import { WebPage } from './support/web-page';

const MODELS = ['sim-swift', 'sim-titan'];
const ROWS = 12;
const CRITERION = '[[sim:judge=fair]] The answer is right.';

describeInBrowser('Judges and votes on the page', () => {
  let caller: Caller;
  let web: WebPage;
  let judged: string;
  /** The path of the experiment of the judge that the first test starts. */
  let path: string;
  const found: string[] = [];

  beforeAll(async () => {
    caller = await createCaller({ hasPaymentMethod: true });
    web = await WebPage.open({ url: caller.url, key: caller.key });
    judged = await ended();
  });
  afterEach(() => expect(found.splice(0)).toEqual([]));
  afterAll(() => web.end());

  /** An experiment in which sim-titan is right, and sim-swift is wrong in the first three rows. */
  async function ended(): Promise<string> {
    const { body: dataset } = await caller.post('/api/v1/datasets', {
      rows: Array.from({ length: ROWS }, (_, no) => ({
        input: `Question ${no} with <b>markup</b>`,
        expected: 'right',
        variables: { swift: no < 3 ? 'It is wrong.' : 'It is right.' },
      })),
    });
    const { body } = await caller.post('/api/v1/experiments', {
      dataset: dataset.dataset_id,
      prompt: '{input} [[sim-swift:say={swift}]] [[sim-titan:say=It is surely right.]]',
      models: MODELS,
      max_cost_usd: 1,
    });
    await endedExperiment(caller, body.experiment_id as string);
    return body.experiment_id as string;
  }

  /** Waits until that many of the items are voted on. */
  const untilVoted = (page: Page, count: number, skipped = '') =>
    page.locator('.number').getByText(`${count} of ${ROWS}${skipped}`, { exact: true }).waitFor();

  it('asks a judge with its price first, and shows reasons to believe it', async () => {
    const { page } = web;
    await page.goto(`/experiments/${judged}`);
    await page.getByRole('button', { name: 'Ask a judge …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ask a judge' });
    await dialog.getByText('You see the price here once there are a criterion and a judge.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel('It sees').selectOption('pairwise');
    await dialog.getByLabel('Criterion').fill(CRITERION);
    await dialog.getByLabel('Judge', { exact: true }).selectOption('sim-sage');
    const judges = await dialog.getByLabel('Judge', { exact: true }).locator('option').allInnerTexts();
    expect(judges.filter((name) => MODELS.includes(name))).toEqual([]);
    await dialog.getByText(/^At most \$/).waitFor();
    found.push(...(await look(page, 'judge-ask')));
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { level: 1, name: 'sim-swift, sim-titan, judged by sim-sage' }).waitFor();
    await page.locator('.experiment-facts').getByText('finished').waitFor();
    path = new URL(page.url()).pathname;
    await page.getByText('Judged are the answers of').waitFor();
    await page.locator('.experiment-text').filter({ hasText: CRITERION }).waitFor();
    const examination = page.getByRole('region', { name: 'Table: Can the verdicts be believed?' });
    await examination.getByRole('row', { name: /^Both orders agree.*100 %/ }).waitFor();
    await examination.getByRole('row', { name: /^Decoys that it passed.*0 of 5/ }).waitFor();
    await page.getByText('No person has checked these verdicts: 20 votes on the page do.').waitFor();
    expect(await page.getByRole('button', { name: 'All', exact: true }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.getByRole('button', { name: /^Decide/ }).count()).toBe(0);
    await eventually('its rows are there', async () => (await page.locator('.matrix-open').count()) > 5);
    found.push(...(await look(page, 'judge-finished')));
    await page.getByRole('link', { name: 'this experiment' }).click();
    await page.getByRole('region', { name: 'Judges of these answers' }).getByRole('link', { name: 'sim-sage' }).click();
    await page.getByRole('heading', { level: 1, name: /judged by sim-sage/ }).waitFor();
  }, 120_000);

  it('takes votes by keyboard, one ballot after the other, and skips', async () => {
    const { page } = web;
    await page.goto(path);
    await page.getByRole('link', { name: 'Vote', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Vote' }).waitFor();
    await untilVoted(page, 0);
    await page.getByRole('region', { name: 'Answer 2' }).waitFor();
    const question = page.getByRole('region', { name: 'Question' });
    await question.getByText(/^Question \d+ with <b>markup<\/b> /).waitFor();
    const shown = await page.locator('main').innerText();
    // The prompt has the names, as simulated models are steered by it.
    const named = shown.replace(await question.innerText(), '');
    expect(MODELS.filter((name) => named.includes(name))).toEqual([]);
    await page.getByText('Reference answer').click();
    await page.getByText('right', { exact: true }).waitFor();
    found.push(...(await look(page, 'vote')));
    await page.keyboard.press('1');
    await untilVoted(page, 1);
    await page.keyboard.press('0');
    await untilVoted(page, 2);
    const skipped = await question.innerText();
    await page.keyboard.press('s');
    await untilVoted(page, 2, ', 1 skipped');
    expect(await question.innerText()).not.toBe(skipped);
    for (let voted = 3; voted < ROWS - 1; voted++) {
      await page.keyboard.press('2');
      await untilVoted(page, voted, ', 1 skipped');
    }
    await page.keyboard.press('x');
    await page.getByText(`You voted on ${ROWS - 1} of ${ROWS}, 1 skipped. Thank you!`).waitFor();
    await page.getByRole('button', { name: 'Show skipped ones' }).click();
    await untilVoted(page, ROWS - 1);
    expect(await question.innerText()).toBe(skipped);
    await page.getByRole('link', { name: 'To the figures' }).click();
    await page.getByText('11 votes by 1 person.').waitFor();
  }, 60_000);

  it('shares its votes with people without a key, who type a name once', async () => {
    const { page } = web;
    await page.goto(path);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this experiment' });
    await dialog.getByLabel(/^People with the link may vote/).check();
    await dialog.getByRole('button', { name: 'Create a link' }).click();
    const url = await dialog.getByLabel('The link, shown only now').inputValue();
    expect(url).toMatch(/\/shared\/mcs_share_[^/]+\/vote$/);
    await dialog.getByText('takes votes').waitFor();
    found.push(...(await look(page, 'share-votes')));
    await page.keyboard.press('Escape');
    const visit = await Visit.open({ url: caller.url, width: 390, touch: true });
    await visit.page.goto(url);
    await visit.page.getByLabel('Your name').fill('Ada');
    await visit.page.getByRole('button', { name: 'Begin' }).click();
    await untilVoted(visit.page, 0);
    const tops = await visit.page
      .locator('.vote-answers > *')
      .evaluateAll((answers) => answers.map((answer) => answer.getBoundingClientRect().top));
    expect([tops.length, (tops[1] ?? 0) > (tops[0] ?? 0)]).toEqual([2, true]);
    await visit.page.getByRole('button', { name: 'Answer 2' }).click();
    await untilVoted(visit.page, 1);
    found.push(...(await look(visit.page, 'shared-vote')));
    await visit.page.reload();
    await untilVoted(visit.page, 1);
    expect(await visit.page.getByLabel('Your name').inputValue()).toBe('Ada');
    await visit.page.getByRole('link', { name: 'To the figures' }).click();
    await visit.page.getByText('12 votes by 2 people.').waitFor();
    await visit.page.getByRole('link', { name: 'Vote', exact: true }).waitFor();
    found.push(...(await look(visit.page, 'shared-judge')));
    await visit.end();
  }, 60_000);

  it('answers about a link without votes as about an ended link', async () => {
    const { body } = await caller.post('/api/v1/shares', { subject: path.split('/').at(-1) });
    const visit = await Visit.open({ url: caller.url, expected: [404] });
    await visit.page.goto(`${body.url as string}/vote`);
    await visit.page.getByLabel('Your name').fill('Ada');
    await visit.page.keyboard.press('Enter');
    await visit.page.getByText('This link shows nothing').waitFor();
    await visit.end();
  });
});
