import { Api } from '../../support/api';
import { createCaller, eventually } from '../../support/factories';
import { PausableProxy } from '../../support/pausable-proxy';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

/** How many periodic tasks a service with RETENTION_DAYS has. */
const TASKS = 9;

/** The tasks that have ended a round. */
const tasks = (text: string) => [...text.matchAll(/^mcs_task_last_success_timestamp_seconds\{task="(\w+)"\} /gm)];

const POOL = 2;
let proxy: PausableProxy;
let service: ServiceProcess;
beforeAll(async () => {
  proxy = await PausableProxy.inFrontOf(worker().databaseUrl);
  service = await startService({
    DATABASE_URL: proxy.url,
    SIMULATOR: 'on',
    DATABASE_POOL_MAX: `${POOL}`,
    DATABASE_TIMEOUT_MS: '20000',
    RETENTION_DAYS: '9000',
    LOG_LEVEL: 'fatal',
  });
});
afterAll(async () => {
  await service.stop();
  await proxy.close();
});

describe('The overhead of a compare', () => {
  it("takes the vendors' time in every round off that of the compare, and counts a replay neither there nor as a charge", async () => {
    const SLOW_MS = 2000;
    const scrape = async () => (await new Api(undefined, service.url).get('/metrics')).text;
    const caller = await createCaller({ at: service.url, freeQuota: 0, hasPaymentMethod: true });
    const figures = async () => {
      const text = await scrape();
      return ['mcs_compare_overhead_seconds_sum', 'mcs_compare_overhead_seconds_count', 'mcs_charge_usd_total'].map(
        (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]),
      );
    };
    const compare = () =>
      caller.compare(
        { prompt: `[[sim:slow=${SLOW_MS}]]`, models: ['sim-swift', 'sim-quill'], options: { samples: 3 } },
        { headers: { 'idempotency-key': 'in rounds' } },
      );
    const [seconds = 0, count = 0, charge = 0] = await figures();
    const { status, body } = await compare();
    expect(status).toBe(200);
    const stored = await figures();
    expect(stored).toEqual([expect.any(Number), count + 1, expect.closeTo(charge + body.meta.total_cost_usd * 1.4, 9)]);
    // Two rounds of the three took as long.
    expect((stored[0] ?? 0) - seconds).toBeLessThan((2 * SLOW_MS) / 1000);
    expect((await compare()).body.eval_id).toBe(body.eval_id);
    expect(await figures()).toEqual(stored);
    expect(await scrape()).toContain('mcs_compares_total{outcome="replayed"} 1\n');
  });
});

describe('The gauge of requests that wait for the database', () => {
  it.each<[words: string, begin: 'pause' | 'hold', end: 'resume' | 'letGo']>([
    ['refuses connections', 'pause', 'resume'],
    ['answers nothing', 'hold', 'letGo'],
  ])('counts each of them while it %s, and none afterwards', async (_, begin, end) => {
    // The key of several requests is looked up once.
    const callers = await Promise.all(Array.from({ length: 8 }, () => createCaller()));
    const reader = await createCaller();
    const read = async () => (await new Api(undefined, service.url).get('/metrics')).text;
    const waiting = async () => Number(/^mcs_database_waiting (\d+)$/m.exec(await read())?.[1]);
    await eventually(
      'the tasks of the service have ended their first round',
      async () => tasks(await read()).length === TASKS,
    );
    proxy[begin]();
    // Compares, because reads are refused after a second.
    const answers = Promise.all(
      callers.map((caller) => caller.at(service.url).compare({ prompt: 'Hello', models: ['sim-swift'] })),
    );
    // Requests with a connection wait for its answer. Tasks of the service may wait too.
    const least = begin === 'hold' ? callers.length - POOL : callers.length;
    await eventually('all of them wait', async () => (await waiting()) >= least);
    expect(await waiting()).toBeLessThan(2 * least);
    if (begin === 'hold') {
      const { status, headers } = await reader.at(service.url).get('/api/v1/usage');
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    }
    proxy[end]();
    expect((await answers).map(({ status }) => status)).toEqual(callers.map(() => 200));
    await eventually('none waits', async () => (await waiting()) === 0);
  });
});

describe('The counter of compares', () => {
  it('counts under the code that the caller received, also while the database is unreachable', async () => {
    const proxy = await PausableProxy.inFrontOf(worker().databaseUrl);
    const service = await startService({
      DATABASE_URL: proxy.url,
      SIMULATOR: 'on',
      DATABASE_TIMEOUT_MS: '4000',
      LOG_LEVEL: 'fatal',
    });
    try {
      const caller = (await createCaller()).at(service.url);
      const outcomes = async () =>
        [...(await caller.get('/metrics')).text.matchAll(/^mcs_compares_total\{outcome="(\w+)"\} /gm)].map(
          ([, outcome]) => outcome,
        );
      await eventually('a compare came as far as the database', async () => {
        // A key that was just in use is believed for a second without the database.
        await eventually('the key is known', async () => (await caller.get('/api/v1/usage')).status === 200);
        proxy.pause();
        const { status, body } = await caller.compare({ prompt: 'unreachable', models: ['sim-swift'] });
        proxy.resume();
        expect([status, body.error.code]).toEqual([503, 'unavailable']);
        return (await outcomes()).length > 0;
      });
      expect(await outcomes()).toEqual(['unavailable']);
    } finally {
      await service.stop();
      await proxy.close();
    }
  });
});
