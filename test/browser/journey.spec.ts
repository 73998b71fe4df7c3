import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { createCaller, eventually, type Caller } from '../support/factories';
import type { ServiceProcess } from '../support/service';
import { describeInBrowser } from './support/chromium';
import { freshService } from './support/own-service';
import { WebPage } from './support/web-page';

const MODELS = ['sim-quill', 'sim-sage', 'sim-swift', 'sim-titan'];

/** The figures above an answer, with all digits. */
interface ShownFigures {
  latency: string;
  tokens: string;
  cost: string;
}

/** Writes down every phase of every column from now on. */
async function watchPhases(page: Page): Promise<{ seen(): Promise<Record<string, string[]>> }> {
  await page.evaluate(() => {
    const phases: Record<string, string[]> = {};
    (window as unknown as { phases: typeof phases }).phases = phases;
    const note = () => {
      for (const column of document.querySelectorAll('article.answer')) {
        const list = (phases[column.querySelector('h2')?.textContent ?? ''] ??= []);
        const phase = column.getAttribute('data-phase') ?? '';
        if (list.at(-1) !== phase) list.push(phase);
      }
    };
    new MutationObserver(note).observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ['data-phase'],
    });
  });
  return { seen: () => page.evaluate(() => (window as unknown as { phases: Record<string, string[]> }).phases) };
}

/** Marks the document if any frame shows the form. Runs in the page. */
function watchForm(): void {
  const note = () => {
    if (document.querySelector('#field-prompt')?.checkVisibility() === true)
      document.documentElement.dataset['formShown'] = 'yes';
    requestAnimationFrame(note);
  };
  requestAnimationFrame(note);
}

describeInBrowser('From the first key to a forgotten one', () => {
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    ({ service } = await freshService());
    caller = await createCaller({ at: service.url });
  });

  it('pastes a key, takes a sample, sees its price, watches four models, compares, reloads, finds, erases, pays, and forgets', async () => {
    const web = await WebPage.open({ url: service.url });
    const { page } = web;
    await web.enterKey(`  Bearer   "${caller.key}" `);
    await web.prompt.fill('[[sim:pace=40]] [[sim-titan:fail]] [[sim-sage:slow=2000]] Tell me why the sky is blue.');
    await eventually(
      'four models are chosen',
      async () => (await page.getByRole('checkbox', { checked: true }).count()) === 4,
    );
    await page.getByText(/^free, 100 left$/).waitFor();
    await page.getByLabel('Input', { exact: true }).fill('unused');
    await page.getByLabel('Input', { exact: true }).fill('');

    // Slowly enough for each model to be seen writing.
    await web.prompt.fill((await web.prompt.inputValue()).replace('pace=40', 'pace=10'));
    const phases = await watchPhases(page);
    await page.getByRole('button', { name: /^Run/ }).click();
    await web.untilEnded(4);
    expect(await phases.seen()).toEqual({
      'sim-swift': ['waiting', 'writing', 'ended'],
      'sim-quill': ['waiting', 'writing', 'ended'],
      'sim-sage': ['waiting', 'writing', 'ended'],
      'sim-titan': ['waiting', 'failed'],
    });
    await expectFiguresOfTheService(page);
    const id = await storedId(web);

    await page.getByRole('button', { name: 'Differences', exact: true }).click();
    await page.getByText(/^\d+ added, \d+ removed$/).waitFor();
    expect(await page.locator('article ins, article del').count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Next change' }).click();

    const prompt = '[[sim:length=3]] A prompt that was not run yet';
    await web.showForm();
    await web.prompt.fill(prompt);
    await page.addInitScript(watchForm);
    await page.reload();
    await web.untilEnded(4);
    // A form that folds away a moment later would take what somebody types into it along.
    expect(await page.evaluate(() => document.documentElement.dataset['formShown'])).toBeUndefined();
    await web.showForm();
    expect(await web.prompt.inputValue()).toBe(prompt);
    await expectFiguresOfTheService(page);

    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
    await page.getByRole('searchbox').fill('no such words');
    await page.getByText('No prompt matches.').waitFor();
    await page.getByRole('searchbox').fill('SKY IS BLUE');
    await page.locator(`a[href="/evals/${id}"]`).click();
    await web.untilEnded(4);
    await expectFiguresOfTheService(page);

    await page.getByRole('button', { name: 'Edit and run', exact: true }).click();
    await web.showForm();
    expect(await web.prompt.inputValue()).toContain('Tell me why the sky is blue.');
    await web.run();
    await eventually('it was run again', async () => (await caller.usage()).eval_count === 2);
    await web.untilEnded(4);

    await page.goto(`/evals/${id}`);
    await web.takeMore(/^Erase/);
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(/Its charge stays/)
      .first()
      .waitFor();
    await web.untilFocused(/^button .*Keep/);
    await dialog.getByRole('button', { name: /^Erase/ }).click();
    await eventually('the eval is erased', async () => (await caller.get(`/api/v1/evals/${id}`)).status === 404);

    await page.getByRole('link', { name: 'Usage' }).click();
    await expectUsageOfTheService(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /CSV/ }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toBe(
      (await caller.get('/api/v1/usage/statement', { headers: { accept: 'text/csv' } })).text,
    );

    await page.getByRole('button', { name: /^Menu/ }).click();
    await page.getByRole('radio', { name: 'dark' }).check();
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(15, 19, 25)');
    await page.getByRole('button', { name: 'Forget key' }).click();
    await web.keyField.waitFor();
    expect(await web.storages()).toEqual({ local: {}, session: {} });
    await web.end();
  });

  /** The address of the eval on the screen, as the page keeps it for a reload. */
  async function storedId(web: WebPage): Promise<string> {
    const id = /eval_[0-9a-z]+/.exec(JSON.stringify((await web.storages()).session))?.[0];
    if (id === undefined) throw new Error('The page knows no eval.');
    return id;
  }

  /** Latency, tokens and cost of every column are those of the newest eval, to the last digit. */
  async function expectFiguresOfTheService(page: Page): Promise<void> {
    const newest = (await caller.get('/api/v1/evals?limit=1')).body.evals[0].eval_id as string;
    const wire = await caller.get(`/api/v1/evals/${newest}`);
    const costs = [...wire.text.matchAll(/"cost_usd":([\d.]+)/g)].map(([, digits]) => digits);
    const shown = await page.evaluate(() =>
      [...document.querySelectorAll('article.answer')].map((column): [string, ShownFigures] => {
        const figure = (name: string) =>
          [...column.querySelectorAll('.answer-figures > div')]
            .find((cell) => cell.querySelector('dt')?.textContent === name)
            ?.querySelector('dd')?.title ?? '';
        return [
          column.querySelector('h2')?.textContent ?? '',
          { latency: figure('Latency'), tokens: figure('Tokens'), cost: figure('Cost') },
        ];
      }),
    );
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries(
        (
          wire.body.results as {
            model: string;
            latency_ms: number;
            input_tokens: number;
            output_tokens: number;
            error?: unknown;
          }[]
        ).map((result, index) => [
          result.model,
          {
            latency: `${result.latency_ms.toLocaleString('en-US')} ms`,
            tokens:
              result.error === undefined
                ? `${result.input_tokens} tokens in, ${result.output_tokens} out`
                : 'no tokens: the model failed',
            cost: `$${costs[index]}`,
          },
        ]),
      ),
    );
  }

  /** Counts and amounts of this month are those of GET /usage. */
  async function expectUsageOfTheService(page: Page): Promise<void> {
    const { text, body } = await caller.get('/api/v1/usage');
    const charge = /"total_charge_usd":([\d.]+)/.exec(text)?.[1] ?? '';
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await page
      .getByText(`${100 - body.free_evals_remaining} of 100`)
      .first()
      .waitFor();
    await page.locator(`main [title*="$${charge}"], main :text("$${charge}")`).first().waitFor();
    expect(MODELS).toHaveLength(4);
  }
});
