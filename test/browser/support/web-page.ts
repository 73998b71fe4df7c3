import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/factories';
import { Visit, type VisitOptions } from './visit';

/** The input for the form. */
export interface FormContent {
  prompt: string;
  input?: string;
  models: readonly string[];
}

/** Our page in a browser, by the words and roles that people meet. */
export class WebPage {
  private constructor(
    readonly visit: Visit,
    readonly page: Page,
  ) {}

  /** Opens the page and, with a key, gets past the key screen. */
  static async open({
    key,
    path = '/',
    ...options
  }: VisitOptions & { key?: string | undefined; path?: string }): Promise<WebPage> {
    return await WebPage.on(await Visit.open(options), { key, path });
  }

  /** The same in a tab that is open already. */
  static async on(visit: Visit, { key, path = '/' }: { key?: string | undefined; path?: string }): Promise<WebPage> {
    const web = new WebPage(visit, visit.page);
    await visit.page.goto(path);
    if (key !== undefined) await web.enterKey(key);
    return web;
  }

  /** The same page in another tab, signed in. */
  async anotherTab(key: string): Promise<WebPage> {
    const page = await this.visit.anotherTab();
    const tab = new WebPage(this.visit, page);
    await page.goto('/');
    await tab.enterKey(key);
    return tab;
  }

  get keyField(): Locator {
    return this.page.getByLabel('API key', { exact: true });
  }

  get prompt(): Locator {
    return this.page.getByLabel('Prompt', { exact: true });
  }

  get input(): Locator {
    return this.page.getByLabel('Input', { exact: true });
  }

  get answers(): Locator {
    return this.page.locator('article.answer');
  }

  /** The page's notices about the whole run. */
  get banner(): Locator {
    return this.page.locator('main .banner');
  }

  async enterKey(key: string): Promise<void> {
    await this.keyField.fill(key);
    await this.page.getByRole('button', { name: 'Continue' }).click();
    await this.keyField.waitFor({ state: 'detached' });
    await this.page
      .getByRole('heading', { level: 1 })
      .filter({ hasNotText: 'Compare language models' })
      .waitFor({ state: 'attached' });
  }

  /** Takes an action behind ⋯. */
  async takeMore(name: string | RegExp): Promise<void> {
    await this.page.locator('.more-menu > summary').click();
    await this.page.locator('.more-menu-items').getByRole('button', { name }).click();
  }

  /** The column of a model. */
  answer(model: string): Locator {
    return this.page.getByRole('article', { name: model, exact: true });
  }

  /** Fills the form by the fragment of the address, as a link does; shows the form where it is folded away. */
  async fill({ prompt, input = '', models }: FormContent): Promise<void> {
    await this.page.evaluate(
      (fragment) => {
        location.hash = fragment;
      },
      new URLSearchParams({ models: models.join(','), prompt, input }).toString(),
    );
    await this.showForm();
    // The page removes the fragment when it has taken it; the prompt alone may be that of before.
    await eventually(
      'the form is filled',
      async () => (await this.page.evaluate(() => location.hash)) === '' && (await this.prompt.inputValue()) === prompt,
    );
  }

  /**
   * Goes to a screen by `g` and its letter, until it shows what it should: a pause between the two that is too long
   * means nothing.
   */
  async goByKeys(letter: string, shown: Locator): Promise<void> {
    await eventually(`g ${letter} shows the screen`, async () => {
      await this.page.keyboard.press('g');
      await this.page.keyboard.press(letter);
      return shown.waitFor({ state: 'attached', timeout: 5000 }).then(
        () => true,
        () => false,
      );
    });
  }

  async showForm(): Promise<void> {
    // A page that has just been left or opened may still fold it away or show it by itself, and then there is no button
    // any more.
    await eventually('the form is shown', async () => {
      if (!(await this.prompt.isVisible()))
        await this.page
          .getByRole('button', { name: 'Form' })
          .first()
          .click({ timeout: 1000 })
          .catch(() => undefined);
      return this.prompt.isVisible();
    });
  }

  /** Unfolds temperature, limit and ceiling. */
  async openOptions(): Promise<void> {
    await this.open('details.options:not(.evaluation-fold, #field-history)');
  }

  /** Unfolds checks and samples. */
  async openEvaluation(): Promise<void> {
    await this.open('details.evaluation-fold');
    await this.page.getByRole('button', { name: 'Add check' }).waitFor();
  }

  /** Unfolds the earlier turns. */
  async openTurns(): Promise<void> {
    await this.open('#field-history');
    await this.page.getByRole('button', { name: 'Add turn' }).waitFor();
  }

  private async open(selector: string): Promise<void> {
    await this.showForm();
    const fold = this.page.locator(selector);
    // The page may unfold it at the same time, to focus one of its fields.
    await eventually(`${selector} is open`, async () => {
      if ((await fold.getAttribute('open')) === null) await fold.locator('summary').first().click();
      return (await fold.getAttribute('open')) !== null;
    });
  }

  /** Runs what is in the form, from the keyboard. */
  async run(): Promise<void> {
    await this.showForm();
    // None are chosen before they are loaded.
    await eventually(
      'models are chosen',
      async () => !/\b0 of/.test(await this.page.locator('.model-picker legend').innerText()),
    );
    await this.prompt.press('Control+Enter');
  }

  /** Fills the form, runs it, and waits until every model has ended or failed and the eval is stored. */
  async compare(content: FormContent): Promise<void> {
    await this.fill(content);
    await this.run();
    await this.untilEnded(content.models.length);
  }

  /** Waits until that many columns have ended or failed, and the summary shows the result. */
  async untilEnded(models: number): Promise<void> {
    await this.page
      .locator('article.answer:is([data-phase="ended"], [data-phase="failed"])')
      .nth(models - 1)
      .waitFor();
    // On the phone it is in a menu.
    await this.page.locator('.summary-actions').waitFor({ state: 'attached' });
  }

  /** The phases of the columns, in their order. */
  async phases(): Promise<(string | null)[]> {
    return await this.answers.evaluateAll((columns) => columns.map((column) => column.getAttribute('data-phase')));
  }

  /** The content of both storages of the browser. */
  async storages(): Promise<{ local: Record<string, string>; session: Record<string, string> }> {
    return await this.page.evaluate(() => ({ local: { ...localStorage }, session: { ...sessionStorage } }));
  }

  /** The focused element, in a word or two; "body" if the focus is lost. */
  async focused(): Promise<string> {
    return await this.page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return 'body';
      return `${element.tagName.toLowerCase()} ${element.getAttribute('aria-label') ?? (element.id || (element.textContent ?? '').slice(0, 40))}`.trim();
    });
  }

  /** Waits until such an element has the focus. */
  async untilFocused(element: RegExp): Promise<void> {
    await eventually(`the focus is on ${element.source}`, async () => element.test(await this.focused()));
  }

  /** Closes it; fails if anything happened that must not. */
  async end(): Promise<void> {
    await this.visit.end();
  }
}
