import { setTimeout as delay } from 'node:timers/promises';
import { onDatabase } from '../support/database';
import { createCaller, eventually } from '../support/factories';
import { startService, type ServiceProcess } from '../support/service';
import { expectLedgerIsRight, NO_RATE_LIMITS } from './support/cluster';
import { Relay } from './support/relay';
import { badFailures, courseOf, passedAfter } from './support/course';
import { failedOf, show } from './support/load';
import { PatroniCluster, PATRONI_PROGRAMS } from './support/patroni';
import { describeWith } from './support/programs';
import { OWNER, prepareDatabase, SERVICE } from './support/roles';

const POOL_MAX = 20;
/** How often a statement is tried again that was refused, each time on another connection. */
const RETRIES = 3;
/** How far behind a standby is held. */
const LAG_MS = 3000;

describeWith(PATRONI_PROGRAMS, 'Failover by Patroni', () => {
  let cluster: PatroniCluster;
  let service: ServiceProcess;
  let databaseUrl: string;

  beforeAll(async () => {
    cluster = await PatroniCluster.start();
    databaseUrl = cluster.url('mcs', OWNER);
    await prepareDatabase((await cluster.primary()).url(), databaseUrl);
    service = await startService({
      DATABASE_URL: cluster.url('mcs', SERVICE),
      DATABASE_TIMEOUT_MS: '10000',
      DATABASE_POOL_MAX: String(POOL_MAX),
      SIMULATOR: 'on',
      ...NO_RATE_LIMITS,
      MAX_CONCURRENT_COMPARES: '500',
    });
  });
  afterEach(async () => {
    await expectLedgerIsRight(databaseUrl);
    expect(await unstored()).toBe(0);
  });

  const unstored = async (): Promise<number> =>
    Number(/^mcs_unstored_evals_total (\d+)$/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1]);

  /**
   * Holds the standby back, kills the primary and everything of it, and waits until the other takes writes. Gives when
   * that was, and how the old primary comes back.
   */
  async function killThePrimary(): Promise<{ writesMs: number; comeBack: () => Promise<void> }> {
    const primary = await cluster.primary();
    const standby = cluster.other(primary);
    await cluster.holdBackStandby();
    await delay(LAG_MS);
    await primary.kill();
    await eventually('the standby takes writes', () => takesWrites(standby.url('mcs')), 60_000);
    return { writesMs: performance.now(), comeBack: () => primary.start() };
  }

  it('asks for a password before the settings of Postgres are changed, or read from etcd', async () => {
    const settings = { postgresql: { parameters: { log_connections: 'on' } } };
    expect(await cluster.patch(settings)).toBe(401);
    expect(
      await cluster.patch(settings, { Authorization: `Basic ${Buffer.from('patroni:wrong').toString('base64')}` }),
    ).toBe(401);
    const answer = await fetch(`http://${cluster.etcd}/v3/kv/range`, {
      method: 'POST',
      body: JSON.stringify({ key: Buffer.from('/service/mcs/leader').toString('base64') }),
    });
    expect([answer.ok, await answer.text()]).toEqual([false, expect.stringContaining('user name is empty')]);
  });

  it('loses nothing that was acknowledged when a primary whose standby lags is killed, with synchronous replication', async () => {
    await cluster.configure({ synchronous_mode: true, synchronous_mode_strict: false });
    let writesMs = 0;
    let comeBack: (() => Promise<void>) | undefined;
    const course = await courseOf(
      'primary killed, synchronous',
      await createCaller({ at: service.url }),
      databaseUrl,
      async () => {
        ({ writesMs, comeBack } = await killThePrimary());
        await delay(4000);
      },
    );
    const passed = passedAfter(course, writesMs);
    show(
      `After the new primary takes writes, the first compare is answered after ${passed.firstAnswer.toFixed(1)} s, and the last one is refused that was sent after ${passed.lastRefused.toFixed(1)} s.`,
    );
    expect({ bad: badFailures(course.sent), lost: course.lost, doubled: course.doubled }).toEqual({
      bad: [],
      lost: [],
      doubled: 0,
    });
    expect(passed.firstAnswer).toBeLessThan(3);
    expect(passed.lastRefused).toBeLessThan(3);
    await comeBack?.();
    await cluster.isWhole();
  }, 240_000);

  it('loses acknowledged evals when the same happens with asynchronous replication', async () => {
    // More than the standby will lack; it would not become the primary otherwise.
    await cluster.configure({ synchronous_mode: false, maximum_lag_on_failover: 1e9 });
    let comeBack: (() => Promise<void>) | undefined;
    const course = await courseOf(
      'primary killed, asynchronous',
      await createCaller({ at: service.url }),
      databaseUrl,
      async () => {
        ({ comeBack } = await killThePrimary());
        await delay(4000);
      },
    );
    expect(course.lost.length).toBeGreaterThan(0);
    await comeBack?.();
    await cluster.isWhole('async');
  }, 240_000);

  it('fails no request in a planned switchover', async () => {
    await cluster.configure({ synchronous_mode: true, synchronous_mode_strict: false });
    const before = await cluster.primary();
    const course = await courseOf(
      'planned switchover',
      await createCaller({ at: service.url }),
      databaseUrl,
      async (sent) => {
        await cluster.switchOver();
        await cluster.isWhole();
        const count = sent.length;
        await eventually('compares are answered again', () => sent.length > count + 50);
      },
    );
    expect(await cluster.primary()).toBe(cluster.other(before));
    expect({ failed: failedOf(course.sent), lost: course.lost, doubled: course.doubled }).toEqual({
      failed: [],
      lost: [],
      doubled: 0,
    });
  }, 120_000);

  it('goes on without a standby', async () => {
    await cluster.configure({ synchronous_mode: true, synchronous_mode_strict: false });
    const standby = cluster.other(await cluster.primary());
    const course = await courseOf(
      'standby killed, not strict',
      await createCaller({ at: service.url }),
      databaseUrl,
      async (sent) => {
        await standby.kill();
        await delay(10_000);
        const count = sent.length;
        await eventually('compares are answered', () => sent.length > count + 50);
        await standby.start();
        await cluster.isWhole();
      },
    );
    expect({ failed: failedOf(course.sent), lost: course.lost, doubled: course.doubled }).toEqual({
      failed: [],
      lost: [],
      doubled: 0,
    });
  }, 120_000);

  it('waits for a standby where it must not go on without one, with no more connections than the pool has', async () => {
    await cluster.configure({ synchronous_mode: true, synchronous_mode_strict: true });
    const primary = await cluster.primary();
    const standby = cluster.other(primary);
    let most = 0;
    const course = await courseOf(
      'standby killed, strict',
      await createCaller({ at: service.url }),
      databaseUrl,
      async (sent) => {
        await standby.kill();
        const refused = () => failedOf(sent).length;
        await eventually(
          'compares are refused for some time',
          async () => {
            most = Math.max(most, await connectionsTo(primary.url('mcs')));
            return refused() > 250;
          },
          60_000,
        );
        await standby.start();
        await cluster.isWhole();
        const count = sent.filter(({ status }) => status === 200).length;
        await eventually(
          'compares are answered again',
          () => sent.filter(({ status }) => status === 200).length > count + 50,
        );
      },
    );
    show(
      `Without a standby that it must have, the primary holds at most ${most} connections of the service, whose pool has ${POOL_MAX}.`,
    );
    expect({ bad: badFailures(course.sent), lost: course.lost, doubled: course.doubled }).toEqual({
      bad: [],
      lost: [],
      doubled: 0,
    });
    expect(most).toBeLessThanOrEqual(POOL_MAX);
  }, 180_000);

  it('writes nothing to an old primary that is back as a standby, and leaves its connections for those to the new one', async () => {
    await cluster.configure({ synchronous_mode: true, synchronous_mode_strict: false });
    const old = await cluster.primary();
    const relay = await Relay.to(old.port);
    const lost = await startService({
      DATABASE_URL: `postgresql://${SERVICE}@127.0.0.1:${relay.port}/mcs`,
      DATABASE_POOL_MAX: String(RETRIES),
      SIMULATOR: 'on',
      ...NO_RATE_LIMITS,
    });
    const caller = await createCaller({ at: lost.url });
    const compare = async () => caller.compare({ prompt: 'to whom?', models: ['sim-swift'] });
    const read = async () =>
      (await Promise.all(Array.from({ length: 10 }, () => caller.get('/api/v1/usage')))).map(({ status, body }) => [
        status,
        body.eval_count,
      ]);
    expect((await compare()).status).toBe(200);
    await cluster.switchOverAndFollow();

    // It follows the old primary, which only reads.
    await eventually('it is read from the standby', async () => (await read()).every(([status]) => status === 200));
    const refused = await compare();
    expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'unavailable',
      '1',
    ]);

    expect(await read()).toEqual(Array(10).fill([200, 1]));
    relay.target = (await cluster.primary()).port;
    for (let i = 0; i < 5; i += 1) expect((await compare()).status).toBe(200);
    expect(await read()).toEqual(Array(10).fill([200, 6]));
    await lost.stop();
  }, 120_000);
});

async function takesWrites(url: string): Promise<boolean> {
  const text = 'select not pg_is_in_recovery() as it_does';
  return onDatabase(
    url,
    async (client) => (await client.query<{ it_does: boolean }>(text)).rows[0]?.it_does ?? false,
  ).catch(() => false);
}

async function connectionsTo(url: string): Promise<number> {
  const text = "select count(*)::int from pg_stat_activity where usename = 'mcs_service'";
  return onDatabase(url, async (client) => (await client.query<{ count: number }>(text)).rows[0]?.count ?? 0);
}
