import type { Page } from 'playwright-core';
import { createCaller, eventually, type Caller } from '../support/factories';
import { axeViolations } from './support/axe';
import { describeInBrowser } from './support/chromium';
import { sidewaysOverflow, turningTexts } from './support/layout';
import { look } from './support/look';
import { WebPage } from './support/web-page';

const MODELS = ['sim-swift', 'sim-quill', 'sim-sage'];
/** Slow enough for a busy machine to see it written. */
const PACED =
  'Count. [[sim-swift:pace=20]] [[sim-swift:length=120]] [[sim-quill:slow=500]] [[sim-quill:pace=20]] [[sim-quill:length=160]] [[sim-sage:fail=overloaded]]';
const FIRST_WORDS_BELOW = 500;

/** The lengths of the bars of time, in pixels; 0 where none is shown. */
const lengths = (page: Page) =>
  page
    .locator('.strip-item')
    .evaluateAll((lanes) =>
      lanes.map((lane) => Math.round(lane.querySelector('.race-time')?.getBoundingClientRect().width ?? 0)),
    );

describeInBrowser('The race above the answers', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller();
  });

  it('grows while models write, shows first text and speed at once, ends with the slowest, and then compares costs', async () => {
    const web = await WebPage.open({ url: caller.url, key: caller.key });
    const { page } = web;
    await web.fill({ prompt: PACED, models: MODELS });
    await web.run();
    await page.locator('#answer-1[data-phase="writing"]').waitFor();
    const [early = 0] = await lengths(page);
    await eventually('the bar has grown', async () => ((await lengths(page))[0] ?? 0) > early);
    const figures = page.locator('#answer-1 .answer-figures');
    await eventually('first text and an estimated speed are shown', async () =>
      /First text\s*(?:\d+ ms|\d\.\d\d s)[^]*≈ \d+ tok\/s/.test(await figures.innerText()),
    );
    await web.untilEnded(3);
    const track = (await page.locator('.race-track').first().boundingBox())?.width ?? 0;
    await eventually('the slowest fills its track', async () => Math.abs(((await lengths(page))[1] ?? 0) - track) < 2);
    const lanes = page.getByRole('navigation', { name: 'Answers' }).getByRole('button');
    expect(await lanes.allInnerTexts()).toEqual([
      expect.stringMatching(/sim-swift[^]*first text after [\d.]+ m?s, end after [\d.]+ m?s[^]*\$0\.0/),
      expect.stringMatching(/sim-quill[^]*\$0\.0/),
      expect.stringMatching(/sim-sage[^]*▲ failed/),
    ]);
    expect(await page.locator('.race-cost').count()).toBe(2);
    expect(await look(page, 'race')).toEqual([]);
    await web.end();
  });

  it('shows no motion where none is wanted: no bar before the end, and then its whole length', async () => {
    const web = await WebPage.open({ url: caller.url, key: caller.key });
    await web.page.emulateMedia({ reducedMotion: 'reduce' });
    await web.fill({ prompt: PACED, models: MODELS.slice(0, 2) });
    await web.run();
    await web.page.locator('#answer-1[data-phase="writing"]').waitFor();
    expect(await lengths(web.page)).toEqual([0, 0]);
    await web.untilEnded(2);
    expect(Math.min(...(await lengths(web.page)))).toBeGreaterThan(0);
    expect(
      await web.page
        .locator('.race-time')
        .first()
        .evaluate((bar) => [getComputedStyle(bar).transitionProperty, getComputedStyle(bar, '::after').animationName]),
    ).toEqual(['none', 'none']);
    await web.end();
  });

  it('holds names of eight models as hostile as text can be, answers that took no time and cost nothing', async () => {
    const models = [
      '<b onclick="hacked=1">b</b>',
      '\u202eevil\u202c',
      'w'.repeat(300),
      'a/b:c@d',
      '漢字モデル',
      'e\u0301'.repeat(40),
      ' ',
      '${x}',
    ];
    const results = models.map((model) => ({
      model,
      provider: 'p',
      output: 'x',
      latency_ms: 0,
      cost_usd: '0',
      input_tokens: 1,
      output_tokens: 1,
      total_tokens: 2,
      details: { ttft_ms: null },
    }));
    const web = await WebPage.open({ url: caller.url, key: caller.key, width: 390, touch: true });
    const { page } = web;
    const id = 'eval_01m844bkm8a0a2gymk62enn7tq';
    await page.route(`**/api/v1/evals/${id}*`, (route) =>
      route.fulfill({
        json: {
          eval_id: id,
          prompt: 'p',
          models,
          results,
          meta: { fastest_model: models[0], cheapest_model: models[0], total_cost_usd: '0' },
          created_at: '2026-11-24T00:00:00Z',
          details: { options: {}, duration_ms: 0, free: true },
        },
      }),
    );
    await page.goto(`/evals/${id}`);
    await page.locator('.answer').nth(7).waitFor({ state: 'attached' });
    const track = await page
      .locator('.race-track')
      .first()
      .evaluate(({ clientWidth }) => clientWidth);
    expect([
      await lengths(page),
      await page.locator('.race-cost').count(),
      await page.locator('.figure-lead, .badge-cheapest').count(),
    ]).toEqual([models.map(() => track), 0, 0]);
    expect([await sidewaysOverflow(page), await turningTexts(page), await axeViolations(page)]).toEqual([
      { pixels: 0, elements: [] },
      [],
      [],
    ]);
    await web.end();
  });

  it('leaves the first words of an answer in sight on the phone, of a run as of an eval', async () => {
    const web = await WebPage.open({ url: caller.url, key: caller.key, width: 390, touch: true });
    await web.fill({ prompt: 'Hello', models: MODELS });
    await web.page.getByRole('button', { name: /^Run/ }).click();
    await web.untilEnded(3);
    const words = web.page.locator('.answer-words').first();
    expect((await words.boundingBox())?.y).toBeLessThan(FIRST_WORDS_BELOW);
    await web.page.goto(`/evals/${(await caller.compare({ prompt: 'Hello', models: MODELS })).body.eval_id}`);
    await words.waitFor();
    expect((await words.boundingBox())?.y).toBeLessThan(FIRST_WORDS_BELOW);
    await web.end();
  });
});
