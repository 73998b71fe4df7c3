import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Answer, Json } from '../../support/api';
import { ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { chargedOf, exact, restoreLog, reservationsOf, sumOf, timesOf, verifyLedger } from '../../support/ledger';
import { PausableProxy } from '../../support/pausable-proxy';
import { startService, type ServiceProcess } from '../../support/service';
import { vendorLog, vendorScript, type ModelScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const MODEL = 'gpt-5.4-mini';
/** A connection without a byte for 8 s is closed, were it not for the samples. */
const SHORT_DEADLINES = { EVAL_TIMEOUT_MS: '4000', MODEL_TIMEOUT_MS: '3000' };
const SHORT_RESERVATIONS = { RESERVATION_TTL_SECONDS: '5' };
const FEW_COMPARES = { RATE_LIMIT_COMPARE_PER_MINUTE: '12' };

/** An order of one model that the vendor server plays, and how many of its calls have begun. */
function anOrder(samples: number, script: ModelScript) {
  const run = randomUUID();
  const calls = async () => (await vendorLog(worker().vendorUrl, run)).calls.length;
  const round = (number: number) => eventually(`round ${number} has begun`, async () => (await calls()) >= number);
  const areOver = async () => (await vendorLog(worker().vendorUrl, run)).open === 0;
  return {
    body: { prompt: vendorScript(run, { '*': script }), models: [MODEL], options: { samples } },
    calls,
    round,
    areOver,
  };
}

const codesOf = ({ body }: Answer<Json>): (string | undefined)[] => body.results.map(({ error }: Json) => error?.code);
const answered = (count: number) => Array<undefined>(count).fill(undefined);

describe('The rounds of a compare with samples', () => {
  let databaseUrl: string;
  let proxy: PausableProxy;
  let service: ServiceProcess;
  const services = new Map<string, ServiceProcess>();
  beforeAll(async () => {
    databaseUrl = await ownDatabase('rounds');
    proxy = await PausableProxy.inFrontOf(databaseUrl);
  });
  afterAll(async () => {
    for (const one of services.values()) await one.kill();
    await proxy.close();
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  });

  /**
   * Creates a caller at the service with these settings, which serves all tests that need them until one of them ends
   * it.
   */
  async function start(
    variables: Record<string, string>,
    options: Parameters<typeof createCaller>[0] = {},
  ): Promise<Caller> {
    const key = JSON.stringify(variables);
    const running = services.get(key);
    const isRunning = running?.child.exitCode === null && running.child.signalCode === null;
    service = isRunning
      ? running
      : await startService({
          DATABASE_URL: proxy.url,
          MAX_VENDOR_RETRIES: '0',
          ...vendorVariables(worker().vendorUrl),
          ...variables,
        });
    services.set(key, service);
    return createCaller({ at: service.url, freeQuota: 0, ...options });
  }

  /** That all of the answer's calls were charged once, and nothing else was. */
  async function expectCharged(caller: Caller, { text }: Answer<Json>): Promise<void> {
    const { results, eval_id: id } = exact(text);
    expect(await chargedOf(caller)).toBe(timesOf(sumOf(results.map(({ cost_usd: cost }: Json) => cost)), 14n, 10n));
    expect((await caller.get(`/api/v1/evals/${id}`)).text).toBe(text);
    expect((await caller.usage()).eval_count).toBe(1);
  }

  it('may together be silent for longer than any plain compare', async () => {
    const caller = await start(SHORT_DEADLINES);
    const { body } = anOrder(10, { delayMs: 900 });
    const begunMs = performance.now();
    const answer = await caller.compare(body);
    expect(performance.now() - begunMs).toBeGreaterThan(9000);
    expect([answer.status, codesOf(answer)]).toEqual([200, answered(10)]);
    await expectCharged(caller, answer);
  });

  it('have a deadline each: a late call fails alone', async () => {
    const caller = await start(SHORT_DEADLINES);
    const { body } = anOrder(3, { fault: 'hang', failFirst: 2 });
    const answer = await caller.compare(body);
    expect(codesOf(answer)).toEqual(['timeout', 'timeout', undefined]);
    await expectCharged(caller, answer);
  });

  it('keep what they have reserved until the last has ended', async () => {
    const { body, round } = anOrder(6, { delayMs: 1500 });
    const caller = await start(SHORT_RESERVATIONS, { monthlySpendLimitUsd: 0.03 });
    const {
      charge_usd: { most },
    } = (await caller.post('/api/v1/compare/estimate', body)).body;
    // One fits, and no second one beside it.
    expect(most).toBeGreaterThan(0.015);
    expect(most).toBeLessThanOrEqual(0.03);
    const running = caller.compare(body);
    await round(5);
    expect(await reservationsOf(databaseUrl, caller.userId)).toBe(1);
    expect((await caller.compare(body)).body.error.code).toBe('spend_limit_reached');
    await expectCharged(caller, await running);
    expect(await reservationsOf(databaseUrl, caller.userId)).toBe(0);
  });

  it('go on when the caller has left', async () => {
    const caller = await start(SHORT_RESERVATIONS);
    const { body, round, calls } = anOrder(4, { delayMs: 700 });
    const leaving = new AbortController();
    const left = caller.compare(body, { signal: leaving.signal }).catch((error: Error) => error.name);
    await round(2);
    leaving.abort();
    expect(await left).toBe('AbortError');
    await eventually('it is stored', async () => (await caller.usage()).eval_count === 1);
    expect(await calls()).toBe(4);
    const { evals } = (await caller.get('/api/v1/evals')).body;
    await expectCharged(caller, await caller.get(`/api/v1/evals/${evals[0].eval_id}`));
  });

  it('leave nothing behind after kill -9 between two of them: no eval, no charge, and the Idempotency-Key is free again', async () => {
    const caller = await start(SHORT_RESERVATIONS, { monthlySpendLimitUsd: 100 });
    const { body, round } = anOrder(5, { delayMs: 700 });
    const key = { headers: { 'idempotency-key': 'killed' } };
    const lost = caller.compare(body, key).catch(() => undefined);
    await round(3);
    await service.kill();
    expect(await lost).toBeUndefined();
    await start(SHORT_RESERVATIONS);
    const back = caller.at(service.url);
    await eventually(
      'the reservation has run out',
      async () => (await reservationsOf(databaseUrl, caller.userId)) === 0,
    );
    expect(await back.usage()).toMatchObject({ eval_count: 0, total_charge_usd: 0 });
    const again = await back.compare(body, key);
    expect([again.status, codesOf(again)]).toEqual([200, answered(5)]);
    await expectCharged(back, again);
  });

  it('end with the current round when the service stops: completed calls are stored and charged, the rest is not called', async () => {
    const caller = await start(SHORT_RESERVATIONS);
    const { body, round, calls } = anOrder(10, { delayMs: 1000 });
    const running = caller.compare(body);
    await round(2);
    const exited = once(service.child, 'exit') as Promise<[number | null]>;
    service.child.kill('SIGTERM');
    const answer = await running;
    const called = await calls();
    expect(called).toBeLessThan(5);
    expect([answer.status, codesOf(answer)]).toEqual([
      200,
      [...answered(called), ...Array<string>(10 - called).fill('not_called')],
    ]);
    expect((await exited)[0]).toBe(0);
    await start(SHORT_RESERVATIONS);
    await expectCharged(caller.at(service.url), answer);
  });

  describe('whose eval cannot be stored at once', () => {
    it('have until the deadline of the last one', async () => {
      const caller = await start({ EVAL_TIMEOUT_MS: '12000', DATABASE_TIMEOUT_MS: '2000' });
      const { body, round, areOver } = anOrder(5, { delayMs: 3000 });
      const running = caller.compare(body);
      await round(5);
      proxy.pause();
      await eventually('all calls have ended', areOver);
      const { refused } = proxy;
      // One try is twenty connections, one every 100 ms. There are more, although the first round began longer ago than
      // EVAL_TIMEOUT_MS.
      await eventually('it was tried again and again', () => proxy.refused >= refused + 24);
      proxy.resume();
      const answer = await running;
      expect(answer.status).toBe(200);
      await expectCharged(caller, answer);
    });

    it('are in the log with all samples, from which the eval is stored later', async () => {
      const caller = await start({ EVAL_TIMEOUT_MS: '5000', DATABASE_TIMEOUT_MS: '2000', LOG_PROMPTS: 'true' });
      const { body, round } = anOrder(3, { delayMs: 2000 });
      const running = caller.compare(body);
      await round(3);
      proxy.pause();
      expect((await running).body.error.code).toBe('unavailable');
      proxy.resume();
      await eventually('it is logged', () => service.output().includes('eval-not-stored'));
      const log = service
        .output()
        .split('\n')
        .filter((line) => line.includes('eval-not-stored'))
        .join('\n');
      const { evalId } = JSON.parse(log) as { evalId: string };
      expect(await restoreLog(databaseUrl, log)).toEqual({
        status: 0,
        output: expect.stringMatching(`${evalId}: stored, charged 0\\.\\d+ USD`),
      });
      const stored = await caller.get(`/api/v1/evals/${evalId}?include=details`);
      expect(stored.body).toMatchObject({ models: [MODEL], details: { options: { samples: 3 }, free: false } });
      await expectCharged(caller, await caller.get(`/api/v1/evals/${evalId}`));
    });
  });

  it('count as one compare per minute for each sample', async () => {
    const caller = await start(FEW_COMPARES);
    const send = (samples: number) => caller.compare(anOrder(samples, {}).body);
    const [ten, two, one] = [await send(10), await send(2), await send(1)];
    expect(
      [ten, two].map(({ status, headers }) => [status, /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]]),
    ).toEqual([
      [200, '2'],
      [200, '0'],
    ]);
    expect(one).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limited', message: 'Too many requests; try again after Retry-After seconds.' } },
    });
    expect((await send(3)).body.error.message).toBe(
      'Too many requests, of which this one counts as 3; try again after Retry-After seconds.',
    );
    expect((await caller.usage()).eval_count).toBe(2);
  });

  it('count as one compare per minute for each sample in a rerun, too', async () => {
    const caller = await start(FEW_COMPARES);
    const { body } = await caller.compare(anOrder(5, {}).body);
    const rerun = () => caller.post(`/api/v1/evals/${body.eval_id}/rerun`, undefined);
    const [again, tooOften] = [await rerun(), await rerun()];
    expect([again.status, /r=(\d+)/.exec(again.headers.get('ratelimit') ?? '')?.[1]]).toEqual([200, '2']);
    expect(tooOften).toMatchObject({
      status: 429,
      body: {
        error: {
          code: 'rate_limited',
          message: 'Too many requests, of which this one counts as 5; try again after Retry-After seconds.',
        },
      },
    });
    expect((await caller.usage()).eval_count).toBe(2);
  });

  it('may each be as long as a plain compare: 40 answers of 16,384 tokens are one eval, and are read again byte for byte', async () => {
    const caller = await start(SHORT_RESERVATIONS);
    const body = {
      prompt: '[[sim:length=16384]][[sim:vary=20]]',
      models: ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan'],
      options: { samples: 10, max_tokens: 16_384 },
    };
    const answer = await caller.compare(body);
    expect([answer.status, codesOf(answer)]).toEqual([200, answered(40)]);
    expect(answer.text.length).toBeGreaterThan(3_000_000);
    await expectCharged(caller, answer);
  }, 200_000);
});
