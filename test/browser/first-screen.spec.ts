import type { Page } from 'playwright-core';
import { createCaller, eventually, type Caller } from '../support/factories';
import type { ServiceProcess } from '../support/service';
import { describeInBrowser } from './support/chromium';
import { look } from './support/look';
import { freshService } from './support/own-service';
import { Visit } from './support/visit';
import { WebPage } from './support/web-page';

const MODELS = ['sim-swift', 'sim-quill', 'sim-sage'];

/** Collects the phases that columns have had. Runs in the page. */
function watchPhases(): void {
  const seen = new Set<string>();
  Object.assign(window, { phasesSeen: seen });
  new MutationObserver(() => {
    for (const column of document.querySelectorAll('article.answer')) seen.add(column.getAttribute('data-phase') ?? '');
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-phase'] });
}

/** The phases seen since the page was loaded, or since the last call. */
async function takePhases(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const { phasesSeen } = window as unknown as { phasesSeen: Set<string> };
    const phases = [...phasesSeen];
    phasesSeen.clear();
    return phases;
  });
}

async function untilEnded(page: Page): Promise<void> {
  await page
    .locator('article.answer[data-phase="ended"]')
    .nth(MODELS.length - 1)
    .waitFor();
}

describeInBrowser('Before any key', () => {
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    ({ service } = await freshService());
    caller = await createCaller({ at: service.url });
  });

  it('plays a recorded run by itself and again, without any request to the service', async () => {
    const web = await WebPage.open({ url: service.url, path: 'about:blank' });
    const { page, visit } = web;
    await page.addInitScript(watchPhases);
    await page.goto('/');
    await untilEnded(page);
    expect(await takePhases(page)).toEqual(expect.arrayContaining(['waiting', 'writing', 'ended']));
    expect(await page.locator('article.answer h2').allTextContents()).toEqual(MODELS);
    await page.getByText('2 of 2 checks passed').waitFor();
    await page.getByText('Recorded run of the simulator').waitFor();
    // It began by itself, so there is no announcement.
    expect(await page.getByRole('status').first().textContent()).toBe('');
    await page.getByRole('button', { name: 'Watch an example' }).click();
    await untilEnded(page);
    expect(await takePhases(page)).toEqual(expect.arrayContaining(['waiting', 'writing', 'ended']));
    await page.getByRole('status').filter({ hasText: 'The example has ended' }).waitFor({ state: 'attached' });
    expect(visit.requested.filter((path) => path.startsWith('/api'))).toEqual([]);
    expect(await web.keyField.inputValue()).toBe('');
    await visit.end();
  });

  it('shows the end at once to people who want no motion, and looks right in both themes', async () => {
    const visit = await Visit.open({ url: service.url });
    const { page } = visit;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.addInitScript(watchPhases);
    await page.goto('/');
    await page.getByText('See how each model writes').waitFor();
    const found = await look(page, 'before-the-key');
    await page.getByRole('button', { name: 'Watch an example' }).click();
    await untilEnded(page);
    expect(await takePhases(page)).not.toContain('writing');
    found.push(...(await look(page, 'example')));
    expect(found).toEqual([]);
    await visit.end();
  });

  it('signs in by a link, on each screen, and leaves no key in the address or the history', async () => {
    for (const path of ['/', '/history', '/usage']) {
      const visit = await Visit.open({ url: service.url });
      await visit.page.goto(`${path}#key=${caller.key}`);
      await visit.page.getByText(/^The link signed you in as /).waitFor();
      expect(new URL(visit.page.url()).pathname + new URL(visit.page.url()).hash).toBe(path);
      expect(await visit.page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
      await visit.page.reload();
      await visit.page.getByRole('button', { name: /^Menu, key/ }).waitFor();
      await visit.end();
    }
  });

  it('fills the form by the same link', async () => {
    const web = await WebPage.open({
      url: service.url,
      path: `/#models=sim-quill&key=${caller.key}&prompt=Count%20to%20ten`,
    });
    await web.page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('#field-prompt')?.value === 'Count to ten',
    );
    expect(web.page.url()).toBe(`${service.url}/`);
    await web.visit.end();
  });

  it.each([
    '',
    'mcs_wrong',
    `mcs_${'x'.repeat(100_000)}`,
    '%3Cimg%20src=x%20onerror=alert(1)%3E',
    'Bearer%20%E2%80%AE',
  ])('asks for the key after a link with the key %.40s, and sends nothing', async (key) => {
    const visit = await Visit.open({ url: service.url });
    await visit.page.goto(`/evals/eval_any#key=${key}`);
    await visit.page.getByRole('alert').filter({ hasText: 'The key in this link is not complete.' }).waitFor();
    expect(visit.page.url()).toBe(`${service.url}/evals/eval_any`);
    expect(visit.requested.filter((path) => path.startsWith('/api'))).toEqual([]);
    await visit.end();
  });

  it('asks for the key after a link with a key that the service refuses', async () => {
    const key = (caller.key ?? '').replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const visit = await Visit.open({ url: service.url, expected: [401] });
    await visit.page.goto(`/#key=${key}`);
    await visit.page.getByRole('alert').filter({ hasText: 'does not exist' }).waitFor();
    expect(visit.page.url()).toBe(`${service.url}/`);
    await visit.end();
  });

  it('keeps the key in use when a link brings another one, and takes none from a link to a shared eval', async () => {
    const other = await createCaller({ at: service.url });
    const web = await WebPage.open({ url: service.url, key: caller.key });
    const { page, visit } = web;
    await page.evaluate((key) => {
      location.hash = `key=${key}`;
    }, other.key);
    await page.getByText(/^The link carries a key, which was not used/).waitFor();
    expect(page.url()).toBe(`${service.url}/`);
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.evaluate(() => sessionStorage.getItem('mcs.key'))).toBe(caller.key);
    await visit.end();

    const stranger = await Visit.open({ url: service.url, expected: [404] });
    await stranger.page.goto(`/shared/${'a'.repeat(43)}#key=${caller.key}`);
    await stranger.page.getByText(/^This link carried a key, which was removed/).waitFor();
    expect([stranger.page.url().includes('#'), await stranger.page.evaluate(() => sessionStorage.length)]).toEqual([
      false,
      0,
    ]);
    expect(stranger.requested.filter((path) => path.startsWith('/api/v1/key'))).toEqual([]);
    await stranger.end();
  });

  it('offers five example prompts with checks, which some models pass and others do not', async () => {
    const web = await WebPage.open({ url: service.url, key: caller.key });
    const { page, visit } = web;
    const passed: Record<string, string[]> = {};
    for (const name of ['Extract JSON', 'Classify', 'Translate', 'Write code', 'Summarize']) {
      await page.goto('/');
      await web.showForm();
      await web.prompt.fill('');
      await page.getByRole('button', { name, exact: true }).click();
      await eventually('the example is in the form', async () => (await web.prompt.inputValue()) !== '');
      await web.run();
      await web.untilEnded(4);
      passed[name] = (await page.locator('article .badges').allTextContents()).map(
        (text) => /(\d of \d) checks? passed/.exec(text)?.[1] ?? text,
      );
    }
    // In the order of the columns: quill, sage, swift and titan.
    expect(passed).toEqual({
      'Extract JSON': ['2 of 2', '2 of 2', '1 of 2', '1 of 2'],
      Classify: ['1 of 1', '1 of 1', '0 of 1', '0 of 1'],
      Translate: ['2 of 2', '2 of 2', '2 of 2', '1 of 2'],
      'Write code': ['2 of 2', '2 of 2', '2 of 2', '1 of 2'],
      Summarize: ['2 of 2', '1 of 2', '1 of 2', '1 of 2'],
    });
    await visit.end();
  });
});
