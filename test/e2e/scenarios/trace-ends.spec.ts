import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { describeWithRedis } from '../../support/redis';
import { RedisServer } from '../../support/redis-server';
import { startService, type ServiceProcess } from '../../support/service';
import { newTraceId, TraceCollector, traceparent } from '../../support/trace-collector';
import { worker } from '../../support/worker';

const COMPARE = { prompt: 'to be stored', models: ['sim-swift'] };
const LOST = 'the store of the rate limits does not answer';
const FOUND = 'the store of the rate limits answers again';

/** The first line of the log with these words after a number of characters, when it has come. */
async function lineOf(service: ServiceProcess, words: string, from = 0): Promise<Record<string, unknown>> {
  const line = () =>
    service
      .output()
      .slice(from)
      .split('\n')
      .find((one) => one.includes(words));
  await eventually(`the log says: ${words}`, () => line() !== undefined);
  return JSON.parse(line() ?? '') as Record<string, unknown>;
}

describe('A line of the log that belongs to no request', () => {
  it('names none, after an outage that a request has noticed', async () => {
    const collector = await TraceCollector.start();
    const databaseUrl = await ownDatabase('trace_ends');
    const service = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      ...collector.settings,
    });
    const callers = [await createCaller({ at: service.url }), await createCaller({ at: service.url })] as const;
    await onDatabase(databaseUrl, async (client) => {
      await client.query(
        `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no space'; end $$`,
      );
      await client.query('create trigger refuse before insert on results for each row execute function refuse()');
      const traceIds = Array.from({ length: 10 }, newTraceId);
      for (const [index, traceId] of traceIds.entries())
        expect((await callers[(index % 2) as 0 | 1].compare(COMPARE, { headers: traceparent(traceId) })).status).toBe(
          500,
        );
      expect(await lineOf(service, 'compares are refused until one can be')).toMatchObject({
        traceId: traceIds.at(-1),
      });
      await client.query('drop trigger refuse on results');
      expect(await lineOf(service, 'Evals can be stored again')).not.toHaveProperty('traceId');
    });
    await service.stop();
    await collector.close();
  });
});

describeWithRedis('Of a Redis that does not answer, the log', () => {
  let collector: TraceCollector;
  let redis: RedisServer;
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    [collector, redis] = [await TraceCollector.start(), await RedisServer.onFreePort()];
    await redis.start();
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      LOG_LEVEL: 'debug',
      REDIS_URL: redis.url,
      RESERVATION_TTL_SECONDS: '5',
      ...collector.settings,
    });
    caller = await createCaller({ at: service.url });
  });
  afterAll(async () => {
    await service.stop();
    await redis.remove();
    await collector.close();
  });

  /** The length of the log, once Redis is in use: a late answer on a busy machine may have been an outage before. */
  async function logged(): Promise<number> {
    await eventually('Redis is in use', async () => {
      await caller.get('/api/v1/usage');
      return (await caller.get('/metrics')).text.includes('\nmcs_shared_store_up 1\n');
    });
    return service.output().length;
  }

  it('says in the name of a request that it has noticed it, but not that Redis is back', async () => {
    const from = await logged();
    redis.freeze();
    const traceId = newTraceId();
    expect((await caller.get('/api/v1/usage', { headers: traceparent(traceId) })).status).toBe(200);
    expect(await lineOf(service, LOST, from)).toMatchObject({ traceId });
    // Its connection is given up by a timer that the command of the request has set.
    expect(await lineOf(service, 'Socket timeout', from)).not.toHaveProperty('traceId');
    redis.thaw();
    expect(await lineOf(service, FOUND, from)).not.toHaveProperty('traceId');
  });

  it('does not name an ended compare when a renewal that it has begun fails', async () => {
    const slow = (milliseconds: number) =>
      caller.compare(
        { prompt: `[[sim:slow=${milliseconds}]]`, models: ['sim-swift'] },
        { headers: traceparent(newTraceId()) },
      );
    await logged();
    const first = slow(3000);
    await eventually('it runs', async () => (await caller.get('/metrics')).text.includes('\nmcs_compares_running 1\n'));
    const second = slow(10_000);
    expect((await first).status).toBe(200);
    const from = await logged();
    await redis.kill();
    expect(await lineOf(service, LOST, from)).not.toHaveProperty('traceId');
    expect((await second).status).toBe(200);
    await redis.start();
  });
});
