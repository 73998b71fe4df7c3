import type { Page } from 'playwright-core';
import { createCaller, eventually, type Caller } from '../support/factories';
import { operator } from '../support/api';
import { describeInBrowser } from './support/chromium';
import { freshService } from './support/own-service';
import { WebPage } from './support/web-page';
import { UnreliableProxy } from './support/unreliable-proxy';

const COMPARE = /^\/api\/v1\/compare(\?|$)/;
const BODY = { prompt: 'Say {input} in French.', input: 'good morning', models: ['sim-swift', 'sim-sage'] };
const SLOW = { ...BODY, prompt: '[[sim:pace=5]] [[sim:length=20]] Take your time.' };
/** Still runs after a reload on a busy machine. */
const LONG = { ...BODY, prompt: '[[sim:pace=5]] [[sim:length=60]] Take more time.' };

/** An error as the service words it. */
const errorBody = (code: string, message: string, details?: unknown) =>
  JSON.stringify({ error: { code, message, ...(details !== undefined && { details }), request_id: 'req_01test' } });

describeInBrowser('On a bad day', () => {
  let caller: Caller;
  let proxy: UnreliableProxy;
  let web: WebPage;
  let page: Page;

  beforeAll(async () => {
    caller = await createCaller({ hasPaymentMethod: true });
    proxy = await UnreliableProxy.inFrontOf(caller.url);
    web = await WebPage.open({ url: proxy.url, key: caller.key });
    page = web.page;
  });
  afterEach(() => {
    proxy.clear();
    proxy.release();
  });
  afterAll(() => web.end());

  const answerWith = (
    status: number,
    code: string,
    message: string,
    { headers = {}, details }: { headers?: Record<string, string>; details?: unknown } = {},
  ) => {
    web.visit.expects(status);
    proxy.next('POST', COMPARE, { answer: { status, headers, body: errorBody(code, message, details) } });
  };
  /** The id of the run on the screen, as the page keeps it for a reload. */
  const evalOnScreen = async () => /eval_\w+/.exec((await web.storages()).session['mcs.run'] ?? '')?.[0];
  const evals = async () => (await caller.usage()).eval_count;

  it('a 401 in the middle asks for a key in a dialog above the form, whose content stays', async () => {
    await web.fill(BODY);
    answerWith(401, 'unauthorized', 'No valid API key was sent.');
    await web.run();
    const dialog = page.getByRole('dialog', { name: 'Another key is needed' });
    // The estimate of the form may say the same.
    await dialog.getByText('This key does not exist, was revoked or has expired').waitFor();
    expect((await web.storages()).session).not.toHaveProperty('mcs.key');
    await dialog.getByText('The screen keeps its content').waitFor();
    await web.untilFocused(/^input key$/);
    // Closed, it leaves a way back. The browser closes it a moment before the page gives the focus back.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await eventually('the focus is somewhere', async () => (await web.focused()) !== 'body');
    await page.getByRole('button', { name: 'Enter another key' }).click();
    await web.untilFocused(/^input key$/);
    await web.enterKey(caller.key ?? '');
    await web.showForm();
    expect([await web.prompt.inputValue(), await web.input.inputValue()]).toEqual([BODY.prompt, BODY.input]);
  });

  it.each([
    ['payment_required', 'This eval is not free, and there is no payment method.'],
    ['spend_limit_reached', 'The monthly spend limit is reached.'],
    ['key_spend_limit_reached', 'The monthly spend limit of this key is reached.'],
  ])('402 %s is shown with its message, nothing repeats by itself, and the form stays', async (code, message) => {
    await web.fill(BODY);
    answerWith(402, code, message);
    const before = proxy.seen.filter((line) => line.startsWith('POST') && COMPARE.test(line.slice(5))).length;
    await Promise.all([web.run(), web.banner.getByText(message).waitFor()]);
    if (code === 'payment_required') await web.banner.getByRole('button', { name: 'Add a payment method' }).waitFor();
    expect(proxy.seen.filter((line) => line.startsWith('POST') && COMPARE.test(line.slice(5)))).toHaveLength(
      before + 1,
    );
    await web.showForm();
    expect(await web.prompt.inputValue()).toBe(BODY.prompt);
  });

  it('402 max_cost_exceeded marks the ceiling, which the service itself refused', async () => {
    web.visit.expects(402);
    await web.fill(BODY);
    await web.openOptions();
    const ceiling = page.getByLabel('Cost limit, $');
    await ceiling.fill('0.0000001');
    await web.run();
    await web.banner.getByText('more than your cost limit').waitFor();
    await eventually('the ceiling is marked', async () => (await ceiling.getAttribute('aria-invalid')) === 'true');
    await ceiling.fill('');
  });

  it('403 by model says what the service says', async () => {
    await web.fill(BODY);
    answerWith(403, 'model_not_allowed', 'This key may not call the model sim-sage.', {
      details: { models: ['sim-sage'] },
    });
    await web.run();
    await web.banner.getByText('may not call the model sim-sage').waitFor();
  });

  it('403 by scope: the screens that lack theirs say which one, the others work', async () => {
    const issued = await operator().post(`/api/v1/admin/users/${caller.userId}/keys`, {
      name: 'compare only',
      scopes: ['compare', 'models:read'],
    });
    const tab = await web.anotherTab(issued.body.api_key);
    web.visit.expects(403);
    await tab.goByKeys('h', tab.page.getByText('evals:read').first());
    await tab.page.goto('/');
    await tab.compare(BODY);
    await tab.page.close();
  });

  it('409, while the same run is still going on elsewhere, is waited out', async () => {
    await web.fill(BODY);
    answerWith(409, 'idempotency_key_in_use', 'It still runs.', { headers: { 'retry-after': '1' } });
    const before = await evals();
    await web.run();
    await web.untilEnded(2);
    expect([await evals(), await web.banner.count()]).toEqual([before + 1, 0]);
  });

  it.each([
    [429, 'rate_limited', 6],
    [503, 'overloaded', 6],
  ] as const)('%i with Retry-After counts down, and Run is back at 0', async (status, code, seconds) => {
    await web.fill(BODY);
    answerWith(status, code, 'Not now.', { headers: { 'retry-after': String(seconds) } });
    await Promise.all([
      web.run(),
      web.banner.getByText('Not now.').waitFor(),
      page.getByRole('button', { name: /Run again in [1-6] s/ }).waitFor(),
    ]);
    await web.banner.getByText('You can run it again now.').waitFor();
    const before = await evals();
    await web.run();
    await web.untilEnded(2);
    expect(await evals()).toBe(before + 1);
  });

  it('every model failed: one sentence, and each column keeps its reason', async () => {
    web.visit.expects(502);
    await web.fill({ ...BODY, prompt: '[[sim-swift:fail=overloaded]] [[sim-sage:fail=rejected]] Fail.' });
    const before = await evals();
    await web.run();
    await web.banner.getByText('Every model failed. Nothing was stored or charged.').waitFor();
    await web.answer('sim-swift').getByText('overloaded', { exact: true }).waitFor();
    await web.answer('sim-sage').getByText('rejected', { exact: true }).waitFor();
    expect(await evals()).toBe(before);
  });

  it('a connection that is cut before the first event is tried once more, under the same name: one eval', async () => {
    web.visit.expects('net');
    const before = await evals();
    await web.fill(BODY);
    proxy.next('POST', COMPARE, { cut: 'before the head' });
    await web.run();
    await web.untilEnded(2);
    proxy.next('POST', COMPARE, { cut: 'after events', events: 0 });
    await web.run();
    await web.untilEnded(2);
    expect(await evals()).toBe(before + 2);
  });

  it('a reload in mid-run, or a connection that is cut later, takes up the stream: the words so far, and then the rest', async () => {
    web.visit.expects('net');
    const before = await evals();
    await web.fill(LONG);
    const writing = page.locator('[data-writing="true"]');
    await web.run();
    await writing.first().waitFor();
    await page.reload();
    await writing.first().waitFor();
    expect(await web.phases()).not.toContain('lost');
    await web.untilEnded(2);
    await web.fill(SLOW);
    proxy.next('POST', COMPARE, { cut: 'after events', events: 4 });
    await web.run();
    await eventually(
      'the stream is taken up',
      () => proxy.seen.filter((line) => /^GET \/api\/v1\/runs\/eval_/.test(line)).length === 2,
    );
    await web.untilEnded(2);
    expect([await evals(), await web.phases(), await web.banner.count()]).toEqual([before + 2, ['ended', 'ended'], 0]);
  });

  it('a connection that is cut later and cannot be taken up says so, and the stored eval fills the columns', async () => {
    web.visit.expects('net', 404);
    const before = await evals();
    await web.fill(SLOW);
    proxy.next('GET', /^\/api\/v1\/runs\//, {
      answer: { status: 404, body: errorBody('not_found', 'No run with this id exists.') },
    });
    proxy.next('POST', COMPARE, { cut: 'after events', events: 4 });
    await web.run();
    await web.banner.getByText('Connection lost. Looking for the result').waitFor();
    // The page cannot know that anything still writes: no caret, no clock.
    expect([
      await web.phases(),
      await page.locator('[data-writing="true"]').count(),
      await page.getByText(/^waiting/).count(),
    ]).toEqual([['lost', 'lost'], 0, 0]);
    await web.untilEnded(2);
    expect([await evals(), await web.phases(), await web.banner.count()]).toEqual([before + 1, ['ended', 'ended'], 0]);
  });

  it('silence leaves the columns unchanged until the user stops watching, and the link leads to the eval', async () => {
    const before = await evals();
    await web.fill(BODY);
    const previous = await evalOnScreen();
    proxy.next('POST', COMPARE, { silentAfterEvents: 1 });
    await web.run();
    await page
      .getByRole('button', { name: /Stop watching/ })
      .first()
      .waitFor();
    await eventually('the run has a number', async () => ![undefined, previous].includes(await evalOnScreen()));
    expect(await web.phases()).toEqual(['waiting', 'waiting']);
    // A stop right after the start is taken for the second half of a double click.
    await page
      .getByText(/^waiting · [1-9]/)
      .first()
      .waitFor();
    await page
      .getByRole('button', { name: /Stop watching/ })
      .first()
      .click();
    await web.banner.getByText('You stopped watching. The run continues and will be charged').waitFor();
    const id =
      /eval_\w+/.exec(
        (await web.banner.getByRole('link', { name: 'open the eval' }).getAttribute('href')) ?? '',
      )?.[0] ?? '';
    await eventually('the eval is stored', async () => (await caller.get(`/api/v1/evals/${id}`)).status === 200);
    await web.banner.getByRole('button', { name: 'wait for it here' }).click();
    await web.untilEnded(2);
    // Stopping with the very button that runs must not run again.
    expect(await evals()).toBe(before + 1);
  });

  it('offline shows a banner and keeps the form usable; back online it goes', async () => {
    await web.visit.context.setOffline(true);
    await page.locator('.banner-page', { hasText: 'You are offline' }).waitFor();
    await web.showForm();
    await web.prompt.fill('Written offline.');
    await web.visit.context.setOffline(false);
    await page.locator('.banner-page', { hasText: 'You are offline' }).waitFor({ state: 'detached' });
    expect(await web.prompt.inputValue()).toBe('Written offline.');
  });

  it('two tabs run side by side, each its own, and share nothing but the preferences', async () => {
    const tab = await web.anotherTab(caller.key ?? '');
    await web.fill({ ...SLOW, prompt: `${SLOW.prompt} First tab.` });
    await tab.fill({ ...SLOW, prompt: `${SLOW.prompt} Second tab.`, models: ['sim-titan'] });
    await Promise.all([web.run(), tab.run()]);
    await Promise.all([web.untilEnded(2), tab.untilEnded(1)]);
    expect([(await web.phases()).length, (await tab.phases()).length]).toEqual([2, 1]);
    expect((await web.storages()).session['mcs.draft']).toContain('First tab.');
    await tab.page.close();
  });

  it('eight models, 128,000 characters of input, an answer of 16,384 tokens and an empty one', async () => {
    const models = (await caller.get('/api/v1/models')).body.models.map(({ id }: { id: string }) => id) as string[];
    const others = models.filter((id) => !id.startsWith('sim-')).slice(0, 4);
    await web.compare({ ...BODY, models: ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan', ...others] });
    expect(await web.phases()).toHaveLength(8);
    await canReachAllColumns(page);

    await web.fill({
      prompt: '[[sim-swift:length=16384]] [[sim-sage:length=0]] Sum it up: {input}',
      models: ['sim-swift', 'sim-sage'],
    });
    await web.input.fill('The 128,000 characters. '.repeat(6000).slice(0, 128_000));
    await web.openOptions();
    await page.getByLabel('Max tokens').fill('16384');
    await web.run();
    await web.untilEnded(2);
    await web.answer('sim-sage').getByText('Empty answer').waitFor();
    // The formatting of a long answer is read in steps, and parts of it are not laid out until they come into view;
    // textContent has all that is there.
    await eventually('the whole answer is there', async () => {
      const text = await web.answer('sim-swift').locator('.answer-body').textContent();
      return (text?.match(/[A-Za-z]+/g) ?? []).length >= 16_000;
    });
    await page.getByLabel('Max tokens').fill('');
    await web.input.fill('');
  });

  it.each([
    ['is left to the service', undefined],
    ['is cut', { cut: 'after events', events: 6 } as const],
  ])(
    'a key that is revoked during a run whose stream %s: what was read stays, and another key of the user finds the eval',
    async (_what, fault) => {
      web.visit.expects(401, 404, 'net');
      const issued = await operator().post(`/api/v1/admin/users/${caller.userId}/keys`, { name: 'short-lived' });
      const tab = await web.anotherTab(issued.body.api_key);
      const before = await evals();
      await tab.fill(SLOW);
      if (fault !== undefined) proxy.next('POST', COMPARE, fault);
      await tab.run();
      const text = tab.answers.locator('.answer-words').first();
      await text.waitFor();
      const read = await text.innerText();
      await operator().delete(`/api/v1/admin/keys/${issued.body.id}`);
      await tab.page
        .getByRole('dialog', { name: 'Another key is needed' })
        .getByText('This key does not exist, was revoked or has expired')
        .waitFor();
      expect([await tab.keyField.isVisible(), (await text.innerText()).startsWith(read.trim())]).toEqual([true, true]);
      await tab.enterKey(caller.key ?? '');
      await tab.untilEnded(2);
      expect([await tab.phases(), await tab.keyField.count(), await evals()]).toEqual([
        ['ended', 'ended'],
        0,
        before + 1,
      ]);
      await tab.page.close();
    },
  );
});

/**
 * Of eight columns some are out of sight, which the strip of names says and leads to; narrow columns are kept for the
 * next visit.
 */
async function canReachAllColumns(page: Page): Promise<void> {
  const strip = page.getByRole('navigation', { name: 'Answers' });
  const widthOf = async () => Math.round((await page.locator('#answer-1').boundingBox())?.width ?? 0);
  await strip.getByRole('button', { name: /^[1-7] more →$/ }).waitFor();
  expect(await widthOf()).toBe(304);
  await page.getByRole('button', { name: 'Compact' }).click();
  expect(await widthOf()).toBe(224);
  expect(await page.evaluate(() => localStorage.getItem('mcs.prefs'))).toContain('"compact":true');
  await strip.getByRole('button').nth(7).click();
  await strip.getByRole('button', { name: /^← [1-7] more$/ }).waitFor();
  await strip.getByRole('button', { name: /more →$/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Compact' }).click();
}

describeInBrowser('A service that is restarted during a run', () => {
  it('has the eval when it is back, and the page finds it', async () => {
    const { service, restart } = await freshService();
    const caller = await createCaller({ at: service.url });
    const proxy = await UnreliableProxy.inFrontOf(service.url);
    const web = await WebPage.open({ url: proxy.url, key: caller.key });
    web.visit.expects('net', 404, 502);
    await web.fill(LONG);
    await web.run();
    await web.answers.and(web.page.locator('[data-phase="writing"]')).first().waitFor();
    await Promise.all([proxy.down(), web.banner.getByText('Connection lost').waitFor()]);
    await service.stop();
    await proxy.up((await restart()).url);
    await web.untilEnded(2);
    expect(await web.phases()).toEqual(['ended', 'ended']);
    await web.end();
  });
});
