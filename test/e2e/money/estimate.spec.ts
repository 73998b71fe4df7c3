import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Json } from '../../support/api';
import { onDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { anotherKey, chargedOf, exact, sumOf, timesOf, units } from '../../support/ledger';
import { vendorLog, vendorScript, type ModelScript } from '../../support/vendor/vendor-server';
import { worker } from '../../support/worker';

const ESTIMATE = '/api/v1/compare/estimate';
const MODELS = [
  'sim-swift',
  'sim-titan',
  'gpt-6.2-sol',
  'gpt-6-luna',
  'claude-haiku-5-5',
  'claude-haiku-4-5',
  'gemini-2.5-flash-lite',
  'mistral-small-2603',
  'grok-4.3',
  'groq/gpt-oss-20b',
  'openrouter/minimax-m3',
  'local/llama3.2',
];
const FRAME = 250;

const text = fc.string({
  unit: fc.constantFrom('a', 'ß', '語', '\u{1F600}', ' ', '\n', '"', '$&', 'Lorem ipsum '),
  maxLength: 600,
  size: 'max',
});

/**
 * Orders whose vendors count as many tokens as there are bytes and some, at any of their rates, and use all of
 * max_tokens.
 */
const orders = fc
  .record({
    words: text,
    input: fc.option(text, { nil: undefined }),
    tokens: fc.integer({ min: 0, max: 3 }),
    models: fc.shuffledSubarray(MODELS, { minLength: 1, maxLength: 4 }),
    maxTokens: fc.integer({ min: 1, max: 3000 }),
    temperature: fc.integer({ min: 0, max: 20 }).map((tenths) => tenths / 10),
    uncached: fc.constantFrom(0, 0.5, 1),
    cacheWrites: fc.boolean(),
    usage: fc.boolean(),
  })
  .map(({ words, input, tokens, models, maxTokens, temperature, uncached, cacheWrites, usage }) => {
    const run = randomUUID();
    const promptWith = (script: ModelScript) =>
      `${words}${'{input}'.repeat(tokens)}${vendorScript(run, { '*': script })}[[sim:length=4000]]`;
    const countsOf = (inputTokens: number): ModelScript => ({
      inputTokens,
      outputTokens: maxTokens,
      [cacheWrites ? 'cacheWriteTokens' : 'cachedTokens']: Math.floor(inputTokens * (1 - uncached)),
    });
    const bytesWith = (script: ModelScript) =>
      Buffer.byteLength(promptWith(script).replaceAll('{input}', () => input ?? '{input}')) +
      (tokens === 0 ? Buffer.byteLength(input ?? '') : 0);
    // The counts are in the prompt whose bytes they count; four digits do not change its length.
    const script: ModelScript = usage
      ? countsOf(bytesWith(countsOf(1000)) + FRAME)
      : { usage: 'none', text: 'word '.repeat(maxTokens + 50) };
    return {
      run,
      order: {
        prompt: promptWith(script),
        ...(input !== undefined && { input }),
        models,
        options: { max_tokens: maxTokens, temperature },
      },
    };
  });

async function estimateOf(caller: Caller, order: object): Promise<Json> {
  const { status, text: answered } = await caller.post(ESTIMATE, order);
  expect({ status, answered }).toMatchObject({ status: 200 });
  return exact(answered);
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += 10)
    results.push(...(await Promise.all(items.slice(from, from + 10).map(work))));
  return results;
}

/** Everything that could be taken of a user. */
async function takenOf(caller: Caller) {
  return onDatabase(worker().databaseUrl, async (client) => {
    const tables = ['evals', 'charges', 'reservations', 'month_totals', 'breakdown_totals', 'idempotency_keys'];
    const counts: Record<string, number | null> = {};
    for (const table of tables)
      counts[table] = (await client.query(`select 1 from ${table} where user_id = $1`, [caller.userId])).rowCount;
    return counts;
  });
}

describe('POST /api/v1/compare/estimate', () => {
  it('calls no vendor and charges nothing, and is never exceeded by the compare itself', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const seed = Date.now() % 1_000_000;
    const cases = fc.sample(orders, { numRuns: 100, seed });
    const estimates = await inParallel(cases, ({ order }) => estimateOf(caller, order));
    expect(Object.values(await takenOf(caller))).toEqual([0, 0, 0, 0, 0, 0]);
    for (const { run } of cases) expect((await vendorLog(worker().vendorUrl, run)).calls).toEqual([]);
    let nearest = 0n;
    await inParallel(
      cases.map((each, index) => ({ ...each, estimate: estimates[index] })),
      async ({ run, order, estimate }) => {
        const answer = await caller.post('/api/v1/compare?include=details', order);
        expect({ seed, order, status: answer.status }).toMatchObject({ status: 200 });
        const done = exact(answer.text);
        for (const [index, result] of done.results.entries()) {
          const { model, cost_usd: cost, charge_usd: charge } = estimate.models[index];
          expect(result.error).toBeUndefined();
          expect({ seed, run, model, fits: units(result.cost_usd) <= units(cost.most) }).toEqual({
            seed,
            run,
            model: result.model,
            fits: true,
          });
          expect(units(result.details.charge_usd)).toBeLessThanOrEqual(units(charge.most));
        }
        expect(units(done.meta.total_cost_usd)).toBeLessThanOrEqual(units(estimate.cost_usd.most));
        if (units(estimate.cost_usd.most) > 0n) {
          const share = (units(done.meta.total_cost_usd) * 100n) / units(estimate.cost_usd.most);
          if (share > nearest) nearest = share;
        }
      },
    );
    // And it is no wild guess either: some of them really cost nearly that much.
    expect(nearest).toBeGreaterThanOrEqual(95n);
  });

  it('is not exceeded when a vendor does not count and says more than max_tokens', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    // Two tokens in each pair of characters, so that the answer is dearer than its own text in the prompt.
    const order = {
      prompt: vendorScript(randomUUID(), { '*': { usage: 'none', text: 'a1'.repeat(1000) } }),
      models: ['gpt-5.4-mini', 'claude-haiku-4-5'],
      options: { max_tokens: 1 },
    };
    const estimate = await estimateOf(caller, order);
    const { results, meta } = exact((await caller.compare(order)).text);
    for (const result of results) {
      expect(result.warnings).toContainEqual(expect.objectContaining({ code: 'usage_estimated' }));
      expect(result.output_tokens).toBe('1');
    }
    expect(units(meta.total_cost_usd)).toBeLessThanOrEqual(units(estimate.cost_usd.most));
  });

  it('adds up: minimum up to maximum, charge = cost × 1.4, and the whole = the sum of its models', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    for (const { order } of fc.sample(orders, 20)) {
      const { models, cost_usd: cost, charge_usd: charge, free } = await estimateOf(caller, order);
      expect(free).toBe(false);
      expect(models.map(({ model }: { model: string }) => model)).toEqual(order.models);
      for (const end of ['least', 'most']) {
        expect(cost[end]).toBe(sumOf(models.map((each: Json) => each.cost_usd[end])));
        expect(charge[end]).toBe(timesOf(cost[end], 14n, 10n));
      }
      for (const range of [cost, charge, ...models.flatMap((each: Json) => [each.cost_usd, each.charge_usd])])
        expect(units(range.least)).toBeLessThanOrEqual(units(range.most));
    }
  });

  it('returns the minimum and maximum cost of a model as worked out by hand', async () => {
    // 'Hello' is one token and five bytes: at most 5 + 256 tokens × $2.50 + 10 × $10 a million; at least 1 cached ×
    // $1.25 + 1 × $10.
    const { models, free_evals_remaining: left } = await estimateOf(await createCaller({ freeQuota: 0 }), {
      prompt: 'Hello',
      models: ['sim-titan'],
      options: { max_tokens: 10 },
    });
    expect(models).toEqual([
      {
        model: 'sim-titan',
        provider: 'simulator',
        estimated_input_tokens: '1',
        max_output_tokens: '10',
        cost_usd: { least: '0.00001125', most: '0.0007525' },
        charge_usd: { least: '0.00001575', most: '0.0010535' },
      },
    ]);
    expect(left).toBe('0');
  });

  it('recognizes a free eval by its models and by the quota that is left', async () => {
    const caller = await createCaller({ freeQuota: 2 });
    const [free, paid] = [
      { prompt: 'Hello', models: ['sim-swift', 'sim-sage'] },
      { prompt: 'Hello', models: ['sim-swift', 'gpt-5.4-mini'] },
    ];
    const forecast = async (order: object) => {
      const {
        free: isFree,
        free_evals_remaining: left,
        charge_usd: charge,
        cost_usd: cost,
      } = await estimateOf(caller, order);
      expect(units(cost.most)).toBeGreaterThan(0n);
      return { isFree, left, isCharged: units(charge.most) > 0n };
    };
    expect(await forecast(free)).toEqual({ isFree: true, left: '2', isCharged: false });
    expect(await forecast(paid)).toEqual({ isFree: false, left: '2', isCharged: true });
    await caller.compare(free);
    expect(await forecast(free)).toEqual({ isFree: true, left: '1', isCharged: false });
    await caller.compare(free);
    expect(await forecast(free)).toEqual({ isFree: false, left: '0', isCharged: true });
    expect(await chargedOf(caller)).toBe('0');
  });

  it('is answered also where the compare itself would be rejected for lack of money', async () => {
    const caller = await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 0 });
    const order = { prompt: 'Hello', models: ['sim-swift'] };
    expect((await caller.compare(order)).status).toBe(402);
    expect((await estimateOf(caller, order)).free).toBe(false);
  });

  it('rejects what POST /compare rejects, in the same words', async () => {
    const caller = await anotherKey(await createCaller(), { allowed_models: ['sim-swift', 'sim-sage'] });
    const good = { prompt: 'Hello', models: ['sim-swift'] };
    const bad: unknown[] = [
      {},
      { ...good, prompt: ' ' },
      { ...good, prompt: 'x'.repeat(32_001) },
      { ...good, models: [] },
      { ...good, models: ['sim-swift', 'sim-swift'] },
      { ...good, models: ['nobody'] },
      { ...good, models: ['sim-titan'] },
      { ...good, temperature: 1 },
      { ...good, input: null },
      { ...good, options: { max_tokens: 0 } },
      { ...good, options: { max_cost_usd: 0.000001 } },
      '{"prompt":',
      'null',
    ];
    const rejectionOf = async (path: string, body: unknown) => {
      const { status, text: answered } = await caller.post(path, body);
      return { status, text: answered.replace(/req_\w+/, 'req') };
    };
    const statuses = new Set<number>();
    for (const body of bad) {
      const refused = await rejectionOf(ESTIMATE, body);
      expect(refused).toEqual(await rejectionOf('/api/v1/compare', body));
      statuses.add(refused.status);
    }
    expect([...statuses].sort()).toEqual([400, 402, 403]);
  });
});
