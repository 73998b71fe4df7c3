import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { endAfterTests } from '../support/cleanup';
import { createCaller, eventually } from '../support/factories';
import { startService, type ServiceProcess } from '../support/service';
import { expectLedgerIsRight, NO_RATE_LIMITS } from './support/cluster';
import { badFailures, courseOf } from './support/course';
import { compares, evalsAmiss, failedOf, reads, show, startLoad, tableOf } from './support/load';
import { startPgBouncer } from './support/pgbouncer';
import { Postgres } from './support/postgres';
import { describeWith } from './support/programs';
import { OWNER, prepareDatabase } from './support/roles';

/** Longer than a request waits, and than PgBouncer lets anybody wait. */
const OUTAGE_MS = 8000;
/** `default_pool_size`. */
const POOL_SIZE = 20;
/** As long as role.sql lets a transaction do nothing, nearly. */
const HELD_MS = 4500;

describeWith(['postgres', 'pgbouncer'], 'A service behind PgBouncer', () => {
  let postgres: Postgres;
  let databaseUrl: string;
  beforeAll(async () => {
    postgres = await Postgres.start();
    databaseUrl = `postgresql://${OWNER}@127.0.0.1:${postgres.port}/mcs`;
    await prepareDatabase(postgres.url, databaseUrl);
  });
  afterEach(() => expectLedgerIsRight(databaseUrl));

  const start = (url: string, variables: Record<string, string> = {}) =>
    startService({ DATABASE_URL: url, SIMULATOR: 'on', ...NO_RATE_LIMITS, ...variables });
  const inTransactionMode = async (variables: Record<string, string> = {}) =>
    start(await startPgBouncer(postgres, 'transaction'), { DATABASE_PREPARE: 'off', ...variables });

  /** Besides compares, reads are sent, whose failures are gathered. */
  async function courseWithReads(title: string, service: ServiceProcess, happen: () => Promise<void>) {
    const caller = await createCaller({ at: service.url });
    const load = startLoad([reads({ callers: [await createCaller({ at: service.url })], perSecond: 20 })]);
    const course = await courseOf(title, caller, databaseUrl, happen).finally(() => load.stop());
    show(tableOf(title, load.sent));
    const sent = [...course.sent, ...load.sent];
    expect({
      bad: badFailures(sent).slice(0, 3),
      lost: course.lost,
      doubled: course.doubled,
      unstored: await unstoredOf(service),
    }).toEqual({ bad: [], lost: [], doubled: 0, unstored: 0 });
    return sent;
  }

  it('answers 503 with Retry-After and stores every eval when Postgres is unreachable for longer than a request waits', async () => {
    const service = await inTransactionMode();
    await courseWithReads('PgBouncer, Postgres unreachable for 8 s', service, async () => {
      await postgres.stop();
      await delay(OUTAGE_MS);
      await postgres.start();
    });
    expect(await service.stop()).toBe(0);
  });

  it('makes every compare wait for a Postgres that is soon back, as at a switchover, and refuses reads at worst with 503 and Retry-After', async () => {
    const service = await inTransactionMode({ DATABASE_TIMEOUT_MS: '30000' });
    const sent = await courseWithReads('PgBouncer, Postgres restarted', service, async () => {
      await postgres.stop();
      await postgres.start();
    });
    // A read waits only a second while statements that PgBouncer holds use every connection.
    expect(
      failedOf(sent)
        .filter(({ kind }) => kind === 'compares')
        .slice(0, 3),
    ).toEqual([]);
    expect(await service.stop()).toBe(0);
  });

  it('answers 503 with Retry-After and stores every eval while transactions of somebody else fill the pool', async () => {
    const url = await startPgBouncer(postgres, 'transaction');
    const service = await start(url, { DATABASE_PREPARE: 'off' });
    await courseWithReads('PgBouncer, its pool full', service, async () => {
      for (let turn = 0; turn < 2; turn += 1) await fill(url);
    });
    expect(await service.stop()).toBe(0);
  });

  it('answers 503 with Retry-After at worst and stores every eval where three processes want three times the connections of a pool in session mode', async () => {
    const url = await startPgBouncer(postgres, 'session');
    const startOne = () => start(url, { DATABASE_POOL_MAX: `${POOL_SIZE}` });
    const first = await startOne();
    // Before the others, beside which a request of the operator may be answered 503, too.
    const caller = await createCaller({ at: first.url });
    const services = [first, ...(await Promise.all([startOne(), startOne()]))];
    const everywhere = services.map((service) => caller.at(service.url));
    const load = startLoad([
      compares({ callers: everywhere, perSecond: 15, ms: 300, keys: 'session' }),
      reads({ callers: everywhere, perSecond: 60 }),
    ]);
    await eventually('enough is answered', () => load.sent.length >= 1200);
    const sent = await load.stop();
    show(tableOf('PgBouncer in session mode, three processes of 20 on 20 connections', sent));
    expect(badFailures(sent).slice(0, 3)).toEqual([]);
    expect((await evalsAmiss(databaseUrl, [caller], sent)).lost).toEqual([]);
    for (const service of services) {
      expect(await unstoredOf(service)).toBe(0);
      expect(await service.stop()).toBe(0);
    }
  });
});

async function unstoredOf({ url }: ServiceProcess): Promise<number> {
  return Number(/^mcs_unstored_evals_total (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);
}

/** Holds all connections of a pool for a while. */
async function fill(url: string): Promise<void> {
  const clients = Array.from({ length: POOL_SIZE }, () => new Client({ connectionString: url }));
  endAfterTests(() => Promise.all(clients.map((client) => client.end())));
  await Promise.all(
    clients
      .map(async (client) => {
        // PgBouncer may refuse it, too.
        client.on('error', () => undefined);
        await client.connect();
        await client.query('begin');
      })
      .map((one) => one.catch(() => undefined)),
  );
  await delay(HELD_MS);
  await Promise.all(clients.map((client) => client.query('rollback').catch(() => undefined)));
}
