import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { Json } from '../support/api';
import { createCaller, eventually, type Caller } from '../support/factories';
import { axeViolations } from './support/axe';
import { describeInBrowser } from './support/chromium';
import { turningTexts } from './support/layout';
import { WebPage } from './support/web-page';

const MODELS = ['sim-sage', 'sim-swift', 'sim-titan'];
const PROMPT = '[[sim:echo]] I am sim-sage, or SIM-SWIFT?';

describeInBrowser('The choice of the better answer', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller();
  });

  const kept = async (id: string): Promise<Json> =>
    (await caller.get(`/api/v1/evals/${id}?include=preference`)).body.preference;
  const newest = async (): Promise<string> => (await caller.get('/api/v1/evals?limit=1')).body.evals[0].eval_id;
  const stored = async (models = MODELS, prompt = 'Hello'): Promise<string> =>
    (await caller.post('/api/v1/compare', { prompt, models })).body.eval_id;

  it('is hidden from the first word to the choice, and shows the names in their places then', async () => {
    const web = await WebPage.open({ url: caller.url, key: caller.key });
    const { page } = web;
    // The names fade in after the choice, and have less contrast meanwhile.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await watchNames(page);
    await page.getByLabel('Hide names until I choose').check();
    await web.fill({ prompt: PROMPT, models: MODELS });
    await web.run();
    await page.getByRole('button', { name: 'They tie' }).waitFor();
    expect(await page.getByRole('article').locator('h2').allTextContents()).toEqual([
      'Answer A',
      'Answer B',
      'Answer C',
    ]);
    expect(await page.getByRole('article').first().innerText()).toMatch(/I am Answer [ABC], or Answer [ABC]\?/);
    expect(await page.locator('.answer-figures').count()).toBe(0);
    expect(await seenNames(page)).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('2');
    await page.getByRole('button', { name: 'Take back' }).waitFor();
    const id = await newest();
    const { preferred, blind } = await kept(id);
    expect([MODELS.includes(preferred), blind]).toEqual([true, true]);
    expect(await page.locator('#answer-2 h2').textContent()).toBe(preferred);
    await page.locator('#answer-2').getByText('Your choice').waitFor();
    await page.getByText(`${preferred} preferred to`).first().waitFor();
    await page.getByText('50,000 such calls a month').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.reload();
    await page.getByText(/^You chose/).waitFor();
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByRole('button', { name: 'They tie' }).click();
    await page.getByText('You chose a tie').waitFor();
    // After the names were seen, a hidden choice is no blind one.
    expect(await kept(id)).toMatchObject({ preferred: 'tie', blind: false });
    await web.end();
  });

  it('is made on the page of an eval by mouse and keyboard, with a reason, taken back, and shown the next time', async () => {
    const id = await stored();
    const web = await WebPage.open({ url: caller.url, key: caller.key, path: `/evals/${id}` });
    const { page } = web;
    await page.getByRole('button', { name: 'Better: sim-swift' }).click();
    await page.getByRole('button', { name: 'Add a reason' }).click();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel('Reason').fill('\u202eIt is <b>shorter</b>.');
    await page.keyboard.press('Enter');
    await page.locator('.choice-reason').waitFor();
    expect(await kept(id)).toMatchObject({
      preferred: 'sim-swift',
      blind: false,
      reason: '\u202eIt is <b>shorter</b>.',
    });
    await page.reload();
    await page.locator('.choice-reason').getByText('It is <b>shorter</b>.').waitFor();
    expect(await turningTexts(page)).toEqual([]);
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByRole('button', { name: 'None is good' }).click();
    await eventually('none is kept', async () => (await kept(id))?.preferred === 'none_good');
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByRole('button', { name: 'They tie' }).waitFor();
    expect(await kept(id)).toBeNull();
    await page.locator('#answer-3').focus();
    await page.keyboard.press('b');
    await eventually('the third was chosen', async () => (await kept(id))?.preferred === 'sim-titan');
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByRole('button', { name: 'They tie' }).waitFor();
    await page.keyboard.press('0');
    await eventually('a tie is kept', async () => (await kept(id))?.preferred === 'tie');
    await web.end();
  });

  it('is not for a model that failed, not asked for with one answer, and refused in a sentence for an eval that is gone', async () => {
    const [id, single] = [await stored(MODELS, 'Hello [[sim-titan:fail=content_refused]]'), await stored(['sim-sage'])];
    const web = await WebPage.open({ url: caller.url, key: caller.key, path: `/evals/${id}` });
    const { page } = web;
    expect(await page.getByRole('button', { name: 'Better: sim-titan' }).isDisabled()).toBe(true);
    await caller.delete(`/api/v1/evals/${id}`);
    web.visit.expects(404);
    await page.getByRole('button', { name: 'They tie' }).click();
    await page.getByText('This eval was erased, so no choice can be kept.').waitFor();
    expect(await page.getByRole('button', { name: 'They tie' }).isEnabled()).toBe(true);
    await page.goto(`/evals/${single}`);
    await web.untilEnded(1);
    expect(await page.getByText('Which answer is better?').count()).toBe(0);
    await web.end();
  });

  it('counts in the last of two tabs, and is nothing that a link shows', async () => {
    const id = await stored();
    const web = await WebPage.open({ url: caller.url, key: caller.key, path: `/evals/${id}` });
    const other = await web.anotherTab(caller.key ?? '');
    await other.page.goto(`/evals/${id}`);
    // Both tabs have loaded the eval without a choice.
    await other.page.getByRole('button', { name: 'Better: sim-sage' }).waitFor();
    await web.page.getByRole('button', { name: 'Better: sim-swift' }).click();
    await web.page.getByRole('button', { name: 'Take back' }).waitFor();
    await other.page.getByRole('button', { name: 'Better: sim-sage' }).click();
    await other.page.getByRole('button', { name: 'Take back' }).waitFor();
    expect((await kept(id)).preferred).toBe('sim-sage');
    const { url } = (await caller.post('/api/v1/shares', { subject: id })).body;
    await web.page.goto(url.replace('/api/v1', ''));
    await web.page.getByRole('article').nth(2).waitFor();
    expect(await web.page.getByText(/better|your choice/i).count()).toBe(0);
    await web.end();
  });

  /** Notes every name of a model that appears beside the form: in texts, attributes, announcements, and the title. */
  async function watchNames(page: Page): Promise<void> {
    await page.evaluate(() => {
      const seen: string[] = [];
      (window as unknown as { seen: string[] }).seen = seen;
      const note = (): void => {
        const copy = document.documentElement.cloneNode(true) as HTMLElement;
        for (const form of copy.querySelectorAll('.form-pane, .asked')) form.remove();
        const found = /.{0,60}sim-(?:sage|swift|titan).{0,20}/i.exec(copy.outerHTML + document.title);
        if (found !== null) seen.push(found[0]);
      };
      new MutationObserver(note).observe(document.body, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
    });
  }

  const seenNames = async (page: Page): Promise<string[]> =>
    page.evaluate(() => (window as unknown as { seen: string[] }).seen);
});

describeInBrowser('What is kept beside an eval', () => {
  it('is a star and a note, found again in the history, exported, and the run as code', async () => {
    const caller = await createCaller();
    const ids: string[] = [];
    for (const prompt of ['First', 'Second'])
      ids.push((await caller.post('/api/v1/compare', { prompt, models: MODELS })).body.eval_id);
    await caller.call('PUT', `/api/v1/evals/${ids[0]}/preference`, { preferred: 'sim-sage' });
    const web = await WebPage.open({ url: caller.url, key: caller.key, path: `/evals/${ids[0]}` });
    const { page } = web;
    await page.getByRole('button', { name: 'Add a note' }).click();
    await page.getByLabel('Note').fill('\u202eThe <i>March</i> prompt');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Change the note' }).waitFor();
    expect([await turningTexts(page), await axeViolations(page)]).toEqual([[], []]);
    await web.takeMore('Code');
    await page.getByRole('tab', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'TypeScript' }).getByText('new ModelComparison').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.goto('/history');
    await page.getByText('The <i>March</i> prompt').waitFor();
    expect(await turningTexts(page)).toEqual([]);
    await page.getByText('sim-sage preferred to').first().waitFor();
    await page.getByRole('button', { name: 'Star: First' }).click();
    await page.getByRole('button', { name: 'Star: First', pressed: true }).waitFor();
    await page.getByRole('button', { name: 'Starred', exact: true }).click();
    await page.getByText('Second').waitFor({ state: 'detached' });
    expect(await axeViolations(page)).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'JSONL' }).click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ eval_id: ids[0], starred: true, note: '\u202eThe <i>March</i> prompt' }]);
    await web.end();
  });
});
