import { operator } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { nodesOf, runsOf, type Plan } from '../../support/query-plans';
import { QueryRecorder } from '../../support/query-recorder';
import { startService, type ServiceProcess } from '../../support/service';

/** As many as make the planner think that some will be met soon on a walk through everybody's. */
const OLD_EVALS = 20_000;
const HEAVY_EVALS = 100_000;
const NEW_EVALS = 25;
const MODELS = ['sim-swift', 'sim-quill'];

/** A page of 1000 charges, and the way to it; more are somebody else's rows. */
const MAX_BLOCKS = 200;
/** Walking over a user's own evals by the index alone: about a hundred of them to a block. */
const MAX_BLOCKS_FAR_IN = HEAVY_EVALS / 50;
/**
 * Between the users with the most and the fewest blocks for the same read; and this number more, for rows that happen
 * to be on two blocks.
 */
const MAX_RATIO = 1.3;
const SPARE_BLOCKS = 4;

/** Months with totals, and the parts of each. */
const MAX_MONTHS = 1000;
const PARTS = 20;

const MONTH = '2026-01';
/**
 * Where the heavy user's charges are, so that the statement asked for is short; totals end in the month above for all.
 */
const OTHER_MONTH = '2026-02';

type Read = (caller: Caller) => Promise<{ status: number }>;

/** Ids that sort before every real one, and among themselves by user first. */
const tailsFrom = (era: number, count: number) =>
  `(select n, '0${era}' || lpad(n::text, 24, '0') as tail from generate_series(1, ${count}) n) as numbered`;

/**
 * Gives a user evals, charges and audit entries that are older than those of every later era, and totals of many
 * months.
 */
async function givePast(url: string, { userId }: Caller, era: number, count: number): Promise<void> {
  await onDatabase(url, async (client) => {
    await client.query('set session_replication_role = replica').catch(() => undefined);
    const tails = tailsFrom(era, count);
    await client.query(
      `insert into evals (id, user_id, prompt, models, temperature, max_tokens, total_cost, charge, is_free, fastest_model, cheapest_model, created_at, duration_ms)
      select 'eval_' || tail, $1, 'Say good morning in French, please. Number ' || n, $2::text[], 0.7, 500, 0.001, 0.0014, false, 'sim-swift', 'sim-swift', now(), 100 from ${tails}`,
      [userId, MODELS],
    );
    await client.query(
      `insert into charges (id, user_id, eval_id, key_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, occurred_at, created_at)
      select 'chg_' || tail, $1, 'eval_' || tail, 'key', $3, $2::text[], 4, 40, 0.001, 0.4, 0.0014, false, now(), now() from ${tails}`,
      [userId, MODELS, count === HEAVY_EVALS ? OTHER_MONTH : MONTH],
    );
    await client.query(
      `insert into audit_entries (id, at, action, target_type, target_id, actor, changes)
      select 'aud_' || tail, now(), 'user.updated', 'user', $1, 'operator', '{}' from ${tails}`,
      [userId],
    );
    const months = `(select to_char(date '${MONTH}-01' - n * interval '1 month', 'YYYY-MM') as month from generate_series(0, ${Math.min(count, MAX_MONTHS) - 1}) n) as months`;
    await client.query(
      `insert into month_totals (user_id, month, eval_count, cost, charge) select $1, month, 1, 0.001, 0.0014 from ${months}`,
      [userId],
    );
    await client.query(
      `insert into breakdown_totals (user_id, month, dimension, item, eval_count, cost, charge)
      select $1, month, 'model', 'model-' || part, 1, 0.001, 0.0014 from ${months}, generate_series(1, ${PARTS}) part`,
      [userId],
    );
  });
}

/**
 * Leaves vacuuming to the test: an autovacuum that runs meanwhile keeps pages from becoming all-visible, and a far
 * offset then reads the table too.
 */
async function withoutAutovacuum(databaseUrl: string): Promise<void> {
  await onDatabase(databaseUrl, async (client) => {
    const { rows } = await client.query<{ statement: string }>(
      "select format('alter table %I set (autovacuum_enabled = off)', tablename) as statement from pg_tables where schemaname = 'public'",
    );
    for (const { statement } of rows) await client.query(statement);
  });
}

describe('The reads of one user beside a large history of another', () => {
  let url: string;
  let recorder: QueryRecorder;
  let service: ServiceProcess;
  let callers: { old: Caller; heavy: Caller; new: Caller };
  beforeAll(async () => {
    url = await ownDatabase('pasts');
    // The service runs with the one plan for all values, which Postgres may choose at any time; the plan for each value
    // is looked at beside it.
    await onDatabase(url, (client) =>
      client.query(`alter database "${new URL(url).pathname.slice(1)}" set plan_cache_mode = force_generic_plan`),
    );
    recorder = await QueryRecorder.inFrontOf(url);
    service = await startService({
      DATABASE_URL: recorder.url,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      RATE_LIMIT_READ_PER_MINUTE: '100000',
    });
    const [old, heavy, fresh] = await Promise.all([
      createCaller({ at: service.url }),
      createCaller({ at: service.url }),
      createCaller({ at: service.url }),
    ]);
    callers = { old, heavy, new: fresh };
    await withoutAutovacuum(url);
    await givePast(url, old, 1, OLD_EVALS);
    await givePast(url, heavy, 2, HEAVY_EVALS);
    await givePast(url, fresh, 3, NEW_EVALS);
    // The work of autovacuum a minute later.
    await onDatabase(url, (client) => client.query('vacuum analyze'));
  });
  afterAll(async () => {
    await service.stop();
    await recorder.close();
  });

  const lastOf = async (caller: Caller) =>
    (await caller.get('/api/v1/evals?limit=2')).body.evals.at(-1).eval_id as string;

  const READS: Record<string, Read> = {
    'first page of evals': (caller) => caller.get('/api/v1/evals'),
    'page of evals by cursor': async (caller) => caller.get(`/api/v1/evals?cursor=${await lastOf(caller)}`),
    'page of evals by offset': (caller) => caller.get('/api/v1/evals?offset=3'),
    'page of evals by cursor and offset': async (caller) =>
      caller.get(`/api/v1/evals?offset=1&cursor=${await lastOf(caller)}`),
    'eval by id': async (caller) => caller.get(`/api/v1/evals/${await lastOf(caller)}`),
    usage: (caller) => caller.get(`/api/v1/usage?month=${MONTH}`),
    breakdown: (caller) => caller.get(`/api/v1/usage/breakdown?month=${MONTH}`),
    'pages of the statement': (caller) => caller.get(`/api/v1/usage/statement?month=${MONTH}`),
    'page of the audit log of one user': (caller) =>
      operator(service.url).get(`/api/v1/admin/audit?target=${caller.userId}`),
  };

  /** The work of a request's reads of growing tables. */
  async function runsFor(caller: Caller, read: Read): Promise<Plan[]> {
    const sent = await recorder.during(async () => expect((await read(caller)).status).toBe(200));
    const texts = new Map(
      sent
        .filter(({ sql }) => /from (evals|charges|audit_entries|month_totals|breakdown_totals)\b/.test(sql))
        .map((statement) => [statement.sql, statement]),
    );
    expect(texts.size).toBeGreaterThan(0);
    return onDatabase(url, async (client) => {
      const runs: Plan[] = [];
      for (const statement of texts.values()) runs.push(...(await runsOf(client, statement)));
      return runs;
    });
  }

  const blocksOf = (plan: Plan) => (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);

  it.each(Object.entries(READS))("touch only the user's own rows: %s", async (_, read) => {
    for (const caller of Object.values(callers)) {
      for (const run of await runsFor(caller, read)) {
        expect([...nodesOf(run)].filter((node) => (node['Rows Removed by Filter'] ?? 0) > 0)).toEqual([]);
        expect(blocksOf(run)).toBeLessThan(MAX_BLOCKS);
      }
    }
  });

  it('reach a far offset by the index alone', async () => {
    for (const run of await runsFor(callers.heavy, (caller) =>
      caller.get(`/api/v1/evals?offset=${HEAVY_EVALS - 20}`),
    )) {
      expect([...nodesOf(run)].map((node) => node['Node Type'])).toContain('Index Only Scan');
      expect(blocksOf(run)).toBeLessThan(MAX_BLOCKS_FAR_IN);
    }
  });

  // The statement is left out: the users' months differ in length.
  it.each(Object.entries(READS).filter(([name]) => name !== 'pages of the statement'))(
    'read about as many blocks for every user: %s',
    async (_, read) => {
      const blocks: number[] = [];
      for (const caller of Object.values(callers))
        blocks.push(Math.max(...(await runsFor(caller, read)).map(blocksOf)));
      expect(Math.max(...blocks)).toBeLessThanOrEqual(Math.min(...blocks) * MAX_RATIO + SPARE_BLOCKS);
    },
  );
});
