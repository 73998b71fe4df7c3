import { randomBytes, randomUUID } from 'node:crypto';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { ended, queue, runRows } from '../../support/runs';
import { startService, type ServiceProcess } from '../../support/service';
import { vendorScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const ORDER = { prompt: 'Hello', models: ['sim-swift'] };
const MAX_QUEUED = 1000;
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;

describe('A user with 1,000 queued runs', () => {
  let databaseUrl: string;
  let accepting: ServiceProcess;
  let many: Caller;
  let one: Caller;
  const start = (variables: Record<string, string>) =>
    startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      ...vendorVariables(worker().vendorUrl),
      ...variables,
    });
  const query = async <Row extends object>(text: string, values: unknown[] = []) =>
    onDatabase(databaseUrl, async (client) => (await client.query<Row>(text, values)).rows);

  beforeAll(async () => {
    databaseUrl = await ownDatabase('neighbors');
    accepting = await start({ MAX_CONCURRENT_RUNS: '0' });
    [many, one] = [await createCaller({ at: accepting.url }), await createCaller({ at: accepting.url })];
    const { run_id: first } = (
      await queue(many, { prompt: vendorScript(randomUUID(), { '*': { delayMs: 50 } }), models: ['gpt-5.4-mini'] })
    ).body;
    // As if all of them had been asked for; with ids that come before every other.
    await query(
      `
      insert into runs (id, user_id, key_id, eval_id, body, state, lease_until, created_at)
      select 'run_0' || lpad(n::text, 25, '0'), user_id, key_id, 'eval_0' || lpad(n::text, 25, '0'), body, state, lease_until, created_at
      from runs, generate_series(1, $2) as n where id = $1`,
      [first, MAX_QUEUED - 1],
    );
  });
  afterAll(() => accepting.stop());

  it('is refused the next one, which keeps its Idempotency-Key usable, while other users are not refused', async () => {
    const key = { headers: { 'idempotency-key': 'one more' } };
    const refused = await queue(many, ORDER, key);
    expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '10',
    ]);
    expect((await many.compare(ORDER, key)).status).toBe(200);
    const { run_id: id } = (await queue(one, ORDER)).body;
    expect((await one.get('/api/v1/runs')).body.runs.map(({ run_id: listed }: { run_id: string }) => listed)).toEqual([
      id,
    ]);
    // A queued run of another cannot be taken back.
    expect((await many.delete(`/api/v1/runs/${id}`)).status).toBe(404);
    expect((await one.delete(`/api/v1/runs/${id}`)).status).toBe(204);
    // Nothing of what its user wrote is left.
    expect(await runRows(databaseUrl, one.userId)).toEqual([
      expect.objectContaining({ started_at: null, finished_at: expect.any(Date), body: null }),
    ]);
  });

  it('does not keep the run of another waiting: the next free slot is for that', async () => {
    const { run_id: id } = (await queue(one, ORDER)).body;
    const working = await start({ MAX_CONCURRENT_RUNS: '2' });
    expect(await ended(one, id)).toMatchObject({ status: 'succeeded' });
    const before = await query(
      'select 1 from runs where user_id = $1 and started_at < (select started_at from runs where id = $2)',
      [many.userId, id],
    );
    expect(before.length).toBeLessThanOrEqual(2);
    // And it stays so while the many are worked on, whichever user was served last.
    for (let times = 0; times < 3; times += 1) {
      const { run_id: next } = (await queue(one, ORDER)).body;
      const [clock] = await query<{ now: Date }>('select clock_timestamp() as now');
      await ended(one, next, 'succeeded');
      const meanwhile = await query(
        'select 1 from runs as other, runs as mine where mine.id = $2 and other.user_id = $1 and other.started_at > $3 and other.started_at < mine.started_at',
        [many.userId, next, clock?.now],
      );
      expect(meanwhile.length).toBeLessThanOrEqual(4);
    }
    expect(
      (await query("select 1 from runs where user_id = $1 and state = 'queued'", [many.userId])).length,
    ).toBeGreaterThan(MAX_QUEUED / 2);
    await working.stop();
  });

  it('can take one back, and has then room for exactly one', async () => {
    const {
      rows: [row],
    } = {
      rows: await query<{ id: string; missing: number }>(
        "select max(id) as id, $2::integer - count(*)::integer as missing from runs where user_id = $1 and state = 'queued'",
        [many.userId, MAX_QUEUED],
      ),
    };
    await query(
      `
      insert into runs (id, user_id, key_id, eval_id, body, state, lease_until, created_at)
      select 'run_1' || lpad(n::text, 25, '0'), user_id, key_id, 'eval_1' || lpad(n::text, 25, '0'), body, state, lease_until, created_at
      from runs, generate_series(1, $2) as n where id = $1`,
      [row?.id, row?.missing],
    );
    expect((await queue(many, ORDER)).status).toBe(429);
    expect((await many.delete(`/api/v1/runs/${row?.id ?? ''}`)).status).toBe(204);
    expect([(await queue(many, ORDER)).status, (await queue(many, ORDER)).status]).toEqual([202, 429]);
    expect((await runRows(databaseUrl, many.userId)).filter(({ state }) => state === 'queued')).toHaveLength(
      MAX_QUEUED,
    );
  });

  it('is refused the next one beside 64 MiB of texts, however few runs these are', async () => {
    const big = await createCaller({ at: accepting.url });
    const { run_id: first } = (
      await queue(big, { ...ORDER, prompt: '{input}', input: randomBytes(90_000).toString('base64') })
    ).body;
    const [row] = await query<{ size: number }>(
      'select pg_column_size(body)::integer as size from runs where id = $1',
      [first],
    );
    const fitting = Math.ceil(MAX_QUEUED_BYTES / (row?.size ?? NaN)) - 1;
    expect(fitting).toBeLessThan(MAX_QUEUED - 2);
    const copy = (from: number, to: number) =>
      query(
        `
      insert into runs (id, user_id, key_id, eval_id, body, state, lease_until, created_at)
      select 'run_2' || lpad(n::text, 25, '0'), user_id, key_id, 'eval_2' || lpad(n::text, 25, '0'), body, state, lease_until, created_at
      from runs, generate_series($2::integer, $3::integer) as n where id = $1`,
        [first, from, to],
      );
    await copy(2, fitting);
    expect((await queue(big, ORDER)).status).toBe(202);
    await copy(fitting + 1, fitting + 1);
    const refused = await queue(big, ORDER);
    expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '10',
    ]);
  });
});
