import { onDatabase } from '../support/database';
import { createCaller, eventually, type Caller } from '../support/factories';
import { startService, type ServiceProcess } from '../support/service';
import { expectLedgerIsRight, NO_RATE_LIMITS } from './support/cluster';
import { compares, failedOf, reads, show, startLoad, tableOf } from './support/load';
import { startPgBouncer } from './support/pgbouncer';
import { Postgres } from './support/postgres';
import { describeWith } from './support/programs';
import { OWNER, prepareDatabase } from './support/roles';

const TURNS = 20;
const COMPARES_A_TURN = 5;

describeWith(['postgres', 'pgbouncer'], 'PgBouncer', () => {
  let postgres: Postgres;
  let databaseUrl: string;
  beforeAll(async () => {
    postgres = await Postgres.start();
    databaseUrl = `postgresql://${OWNER}@127.0.0.1:${postgres.port}/mcs`;
    await prepareDatabase(postgres.url, databaseUrl);
  });
  afterEach(() => expectLedgerIsRight(databaseUrl));

  const through = (url: string, variables: Record<string, string> = {}) =>
    startService({ DATABASE_URL: url, SIMULATOR: 'on', ...NO_RATE_LIMITS, ...variables });

  /** The answers to callers who compare and read for a while, together a hundred times a second. */
  async function loadOn(service: ServiceProcess, title: string) {
    const callers = [await createCaller({ at: service.url }), await createCaller({ at: service.url })];
    const load = startLoad([compares({ callers, perSecond: 40, ms: 0 }), reads({ callers, perSecond: 60 })]);
    await eventually('enough is answered', () => load.sent.length >= 400);
    const sent = await load.stop();
    show(tableOf(title, sent));
    return sent;
  }

  it('in session mode takes a service that prepares its statements', async () => {
    const service = await through(await startPgBouncer(postgres, 'session'), { DATABASE_POOL_MAX: '10' });
    expect(failedOf(await loadOn(service, 'PgBouncer in session mode'))).toEqual([]);
    expect(await service.stop()).toBe(0);
  });

  it('in transaction mode never mixes up a read-only process and a compare-only process, started in turns', async () => {
    const url = await startPgBouncer(postgres, 'transaction');
    const start = () => through(url, { DATABASE_PREPARE: 'off' });
    let [reader, comparer] = await Promise.all([start(), start()]);
    const caller = await createCaller({ at: comparer.url, freeQuota: 1000 });
    const ids: string[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      if (turn % 2 === 0) {
        await reader.stop();
        reader = await start();
      } else {
        await comparer.stop();
        comparer = await start();
      }
      const answers = await Promise.all(
        Array.from({ length: COMPARES_A_TURN }, () =>
          caller.at(comparer.url).compare({ prompt: `turn ${turn}`, models: ['sim-swift', 'sim-quill'] }),
        ),
      );
      ids.push(...answers.map(({ body }) => body.eval_id as string));
      expect(answers.map(({ status }) => status)).toEqual(Array(COMPARES_A_TURN).fill(200));
      await expectRightAnswers(caller.at(reader.url), ids, turn);
    }
    for (const service of [reader, comparer]) {
      expect(await service.stop()).toBe(0);
      expect(service.output()).not.toContain('"level":"error"');
    }
  }, 400_000);

  it('in transaction mode leaves it to the role how long a statement may take', async () => {
    const url = await startPgBouncer(postgres, 'transaction');
    await onDatabase(url, async (client) => {
      const { rows } = await client.query(
        "select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle",
      );
      expect(rows).toEqual([{ statement: '5s', idle: '5s' }]);
      await expect(client.query('select pg_sleep(60)')).rejects.toMatchObject({ code: '57014' });
    });
  });

  it('refuses who waits for too long for a connection to Postgres', async () => {
    const url = await startPgBouncer(postgres, 'transaction', {
      'default_pool_size = 20': 'default_pool_size = 1',
      'query_wait_timeout = 5': 'query_wait_timeout = 1',
    });
    await onDatabase(url, async (client) => {
      await client.query('begin');
      await expect(onDatabase(url, (other) => other.query('select 1'))).rejects.toThrow('query_wait_timeout');
      await client.query('rollback');
    });
  });

  it('in transaction mode makes a service that prepares its statements give that up before it pays for what it cannot store', async () => {
    const service = await through(await startPgBouncer(postgres, 'transaction'));
    const sent = await loadOn(service, 'PgBouncer in transaction mode, DATABASE_PREPARE=on');
    expect(failedOf(sent)).toEqual([]);
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/^mcs_unstored_evals_total 0$/m);
    expect(service.output()).toContain('Set DATABASE_PREPARE=off');
    expect(await service.stop()).toBe(0);
  });
});

/** The reader's answers about the evals of the other process. */
async function expectRightAnswers(caller: Caller, ids: readonly string[], turn: number): Promise<void> {
  const newest = ids.slice(-COMPARES_A_TURN);
  const [list, usage, ...evals] = await Promise.all([
    caller.get(`/api/v1/evals?limit=${COMPARES_A_TURN}`),
    caller.get('/api/v1/usage'),
    ...newest.map((id) => caller.get(`/api/v1/evals/${id}`)),
  ]);
  expect(list.body.evals.map(({ eval_id: id }: { eval_id: string }) => id).sort()).toEqual([...newest].sort());
  expect([usage.status, usage.body.eval_count]).toEqual([200, ids.length]);
  expect(evals.map(({ body }) => [body.eval_id, body.prompt, body.results.length])).toEqual(
    newest.map((id) => [id, `turn ${turn}`, 2]),
  );
}
