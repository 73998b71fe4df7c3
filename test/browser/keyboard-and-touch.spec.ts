import type { Page } from 'playwright-core';
import { createCaller, eventually, type Caller } from '../support/factories';
import { describeInBrowser } from './support/chromium';
import { sidewaysOverflow, smallTargets } from './support/layout';
import { WebPage } from './support/web-page';
import { screenshot } from './support/screenshots';

const MODELS = ['sim-swift', 'sim-sage', 'sim-titan'];
const PROMPT = '[[sim:pace=200]] [[sim:length=30]] Say good morning in French.';

describeInBrowser('The page', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller();
  });

  it('is worked by the keyboard alone, from the key to the answers, the history and back, and the focus is never lost', async () => {
    const web = await WebPage.open({ url: caller.url });
    const { page } = web;
    const keepsFocus = async (where: string) =>
      eventually(`the focus is somewhere ${where}`, async () => (await web.focused()) !== 'body');
    await web.keyField.waitFor();
    await tabUntil(page, () => web.focused(), /^input key$/);
    await page.keyboard.type(caller.key ?? '');
    await page.keyboard.press('Enter');
    await web.prompt.waitFor();
    await keepsFocus('after the key');

    await page.keyboard.press('p');
    await web.untilFocused(/^textarea/);
    await page.keyboard.type(PROMPT);
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox').first().waitFor();
    await tabUntil(page, () => web.focused(), /Find a model|^input/);
    await tabUntil(page, async () => await checkboxName(page), /sim-swift/);
    for (const model of MODELS) {
      await tabUntil(page, async () => await checkboxName(page), new RegExp(model));
      if (!(await page.locator(':focus').isChecked())) await page.keyboard.press('Space');
    }
    await page.keyboard.press('Control+Enter');
    await page.getByRole('article').first().waitFor();
    const models = await page.getByRole('article').count();
    await web.untilEnded(models);
    await keepsFocus('after Run');

    await page.keyboard.press('2');
    await eventually('the second answer has the focus', async () => (await web.focused()) === `article ${'answer-2'}`);
    await page.keyboard.press('e');
    await eventually(
      'it is expanded',
      async () => (await page.locator('#answer-2').getAttribute('data-expanded')) === 'true',
    );
    await page.keyboard.press('Escape');
    await keepsFocus('after Escape');
    await page.keyboard.press('d');
    await page.getByText(/^\d+ added, \d+ removed$/).waitFor();
    await page.keyboard.press('n');
    await page.keyboard.press('t');
    await keepsFocus('after the keys of answers');

    for (const [key, title] of [
      ['h', 'History'],
      ['u', 'Usage'],
      ['c', 'Compare'],
    ] as const) {
      await web.goByKeys(key, page.getByRole('heading', { level: 1, name: title }));
      await eventually(`the focus is on the heading of ${title}`, async () => (await web.focused()).startsWith('h1'));
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await keepsFocus('after the list of keys');
    await web.end();
  });

  it('is worked by fingers on a phone of 390 pixels, nothing is too wide, and what is touched is large enough', async () => {
    const web = await WebPage.open({ url: caller.url, width: 390, touch: true });
    const { page } = web;
    await web.keyField.fill(caller.key ?? '');
    await page.getByRole('button', { name: 'Continue' }).tap();
    await web.prompt.fill(PROMPT);
    await page.getByRole('button', { name: /Choose models/ }).tap();
    const dialog = page.getByRole('dialog');
    for (const model of MODELS) {
      const box = dialog.getByRole('checkbox', { name: model });
      if (!(await box.isChecked())) await box.tap();
    }
    await screenshot(page, 'models-390');
    await page.getByRole('button', { name: 'Done' }).tap();
    await expectFits(page);
    await page.getByRole('button', { name: /^Run/ }).tap();
    await page.locator('article.answer').first().waitFor();
    const models = await page.locator('article.answer').count();
    await web.untilEnded(models);
    await expectFits(page);
    await page.getByRole('navigation', { name: 'Answers' }).getByRole('button').last().tap();
    await eventually(
      'the last answer is in sight',
      async () =>
        (await page.locator(`#answer-${models}`).boundingBox())?.x === 0 ||
        ((await page.locator(`#answer-${models}`).boundingBox())?.x ?? 999) < 40,
    );
    await page.getByRole('button', { name: 'Form' }).first().tap();
    expect(await web.prompt.inputValue()).toBe(PROMPT);
    await page.getByRole('button', { name: /^Menu/ }).tap();
    await page.getByRole('link', { name: 'History' }).last().tap();
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
    await page.getByText('Say good morning in French.').first().waitFor();
    await expectFits(page);
    await expectAnswerInView(page, (await caller.compare({ prompt: PROMPT, models: MODELS.slice(0, 2) })).body.eval_id);
    await web.end();
  });

  it.each(['/', '/history', '/usage'])(
    'scrolls nothing sideways at 320 pixels but the row of answers, with text of 200 percent neither: %s',
    async (path) => {
      const web = await WebPage.open({ url: caller.url, key: caller.key, width: 320, touch: true });
      const { page } = web;
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
      if (path === '/') await web.compare({ prompt: PROMPT, models: MODELS });
      expect(await sidewaysOverflow(page)).toEqual({ pixels: 0, elements: [] });
      await screenshot(page, `320${path.replaceAll('/', '-')}`);
      await page.setViewportSize({ width: 640, height: 800 });
      await page.evaluate(() => {
        document.documentElement.style.setProperty('font-size', '200%');
      });
      expect(await sidewaysOverflow(page)).toEqual({ pixels: 0, elements: [] });
      await web.end();
    },
  );
});

/** On an eval page of two models the answer begins on the first screen, below one bar whose menu has the actions. */
async function expectAnswerInView(page: Page, evalId: string): Promise<void> {
  await page.goto(`/evals/${evalId}`);
  const words = page.locator('.answer-words').first();
  await words.waitFor();
  expect((await words.boundingBox())?.y).toBeLessThan(500);
  const share = page.getByRole('button', { name: 'Share', exact: true });
  expect(await share.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Actions' }).tap();
  await share.waitFor();
  await expectFits(page);
  await share.tap();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await eventually('the focus is back on the button of the menu', async () =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'Actions'),
  );
}

/** Presses Tab until what has the focus is called so. */
async function tabUntil(page: Page, name: () => Promise<string>, expected: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    if (expected.test(await name())) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never led to ${String(expected)}.`);
}

/** The name of the box that has the focus; empty where something else has it. */
async function checkboxName(page: Page): Promise<string> {
  return await page.evaluate(() => {
    const element = document.activeElement;
    return element instanceof HTMLInputElement && element.type === 'checkbox'
      ? (element.closest('label')?.textContent ?? '')
      : '';
  });
}

/**
 * Nothing is wider than the screen, and whatever a finger hits is at least 24 pixels high and wide (WCAG 2.2), the
 * controls of the form 44.
 */
async function expectFits(page: Page): Promise<void> {
  expect(await sidewaysOverflow(page)).toEqual({ pixels: 0, elements: [] });
  expect(await smallTargets(page)).toEqual([]);
}
