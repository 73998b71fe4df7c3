import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { chargedOf, verifyLedger, exact } from '../../support/ledger';
import { memoryMib } from '../../support/memory';
import { startService, type ServiceProcess } from '../../support/service';

const LINES = 200_000;
const MONTH = '2026-10';
const MIB = 1024 * 1024;
const MAX_GROWTH = 60 * MIB;
const LONG_MS = 400_000;

// The service needs some 80 MiB of it. Given more, V8 collects old garbage only when there is much of it, and growth
// would tell nothing.
const SMALL_HEAP = '--max-old-space-size=128 --max-semi-space-size=4';

/**
 * Charges as of that many evals, erased since, with the totals that go with them: each 0.0000001 more than the one
 * before.
 */
async function fillLedger(databaseUrl: string, { userId, keyId }: Caller): Promise<void> {
  await onDatabase(databaseUrl, async (client) => {
    await client.query(
      `
      insert into charges (id, user_id, eval_id, key_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, reason, occurred_at, created_at)
      select 'chg_' || lpad(n::text, 26, '0'), $1, 'eval_' || lpad(n::text, 26, '0'), $2, $3, array['sim-swift', 'sim-sage', 'openrouter/some-model-with-a-long-name', 'sim-titan'], 1000, n,
        n * 0.0000001, 0.4, n * 0.00000014, false, null, timestamptz '2026-10-01T00:00:00Z' + n * interval '13 seconds', now()
      from generate_series(1, $4::int) n`,
      [userId, keyId, MONTH, LINES],
    );
    await client.query(`
      insert into erased_evals (eval_id, user_id, erased_at, result_summaries)
      select eval_id, user_id, now(), jsonb_build_array(jsonb_build_object('position', 0, 'model', 'all four', 'cost', cost::text, 'input_tokens', input_tokens, 'output_tokens', output_tokens,
        'details', jsonb_build_object('charge', charge::text, 'cachedInputTokens', 0, 'cacheWriteTokens', 0, 'rates', '{"input": "0", "cachedInput": "0", "cacheWrite": "0", "output": "0.1"}'::jsonb)))
      from charges`);
    await client.query(`
      insert into month_totals (user_id, month, eval_count, free_eval_count, cost, charge)
      select user_id, month, count(*), 0, sum(cost), sum(charge) from charges group by 1, 2`);
    for (const item of ['key_id', "to_char(occurred_at at time zone 'utc', 'YYYY-MM-DD')"]) {
      await client.query(
        `
        insert into breakdown_totals (user_id, month, dimension, item, eval_count, input_tokens, output_tokens, cost, charge)
        select user_id, month, $1, ${item}, count(*), sum(input_tokens), sum(output_tokens), sum(cost), sum(charge) from charges group by 1, 2, ${item}`,
        [item === 'key_id' ? 'key' : 'day'],
      );
    }
    await client.query(`
      insert into breakdown_totals (user_id, month, dimension, item, eval_count, input_tokens, output_tokens, cost, charge)
      select user_id, month, 'model', 'all four', count(*), sum(input_tokens), sum(output_tokens), sum(cost), sum(charge) from charges group by 1, 2`);
  });
}

/** The most memory the process has used since it was last asked, in bytes. */
function peakMemory(pid: number | undefined): number {
  const peak = memoryMib(pid, 'VmHWM') * 1024 ** 2;
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return peak;
}

async function statement(caller: Caller, accept: string): Promise<Response> {
  const response = await fetch(`${caller.url}/api/v1/usage/statement?month=${MONTH}`, {
    headers: { authorization: `Bearer ${caller.key}`, accept },
  });
  expect(response.status).toBe(200);
  return response;
}

/** Reads an answer to its end without keeping more than its tail. */
async function drain(caller: Caller, accept: string): Promise<{ bytes: number; newlines: number; tail: string }> {
  const response = await statement(caller, accept);
  const read = { bytes: 0, newlines: 0, tail: '' };
  for await (const chunk of response.body ?? []) {
    const text = Buffer.from(chunk).toString('latin1');
    read.bytes += text.length;
    read.newlines += text.split('\n').length - 1;
    read.tail = (read.tail + text).slice(-2000);
  }
  return read;
}

/**
 * Reads the first 8 MiB of an answer and disconnects: the heap finds the size that it works with, whatever the length
 * of the whole.
 */
async function warmUp(caller: Caller, accept: string): Promise<void> {
  const response = await statement(caller, accept);
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > 8 * MIB) return;
  }
}

(process.platform === 'linux' ? describe : describe.skip)('A statement of 200,000 lines', () => {
  let databaseUrl: string;
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    databaseUrl = await ownDatabase('statement');
    service = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      NODE_OPTIONS: SMALL_HEAP,
    });
    caller = await createCaller({ at: service.url });
    await fillLedger(databaseUrl, caller);
  }, LONG_MS);
  afterAll(async () => {
    if (service.child.exitCode === null) await service.stop();
  });

  // 0.00000014 × (1 + 2 + … + 200,000) = 0.00000014 × 20,000,100,000.
  const CHARGE = '2800.014';

  it(
    'is streamed completely in constant memory, as JSON and as CSV, and agrees with GET /usage',
    async () => {
      for (const accept of ['application/json', 'text/csv']) {
        await warmUp(caller, accept);
        peakMemory(service.child.pid);
        const before = peakMemory(service.child.pid);
        const read = await drain(caller, accept);
        const growth = peakMemory(service.child.pid) - before;
        const isJson = accept === 'application/json';
        expect(read.newlines).toBe(isJson ? LINES - 1 : LINES + 2);
        expect(read.bytes).toBeGreaterThan((isJson ? 50 : 30) * MIB);
        expect(growth).toBeLessThan(read.bytes);
        expect(growth).toBeLessThan(MAX_GROWTH);
        if (isJson)
          expect(totalIn(read.tail)).toEqual({
            eval_count: `${LINES}`,
            free_eval_count: '0',
            cost_usd: '2000.01',
            charge_usd: CHARGE,
          });
        else expect(read.tail).toMatch(/\r\ntotal,,,200000000,20000100000,2000\.01,,2800\.014,,\r\n$/);
      }
      expect(await chargedOf(caller, MONTH)).toBe(CHARGE);
      expect((await verifyLedger(databaseUrl)).output).toContain('The ledger is consistent');
    },
    LONG_MS,
  );

  it('is no longer produced when the client disconnects', async () => {
    const [response] = (await once(
      get(`${caller.url}/api/v1/usage/statement?month=${MONTH}`, {
        headers: { authorization: `Bearer ${caller.key}` },
      }),
      'response',
    )) as [IncomingMessage];
    await once(response, 'data');
    response.destroy();
    const queries = () =>
      onDatabase(
        databaseUrl,
        async (client) =>
          (
            await client.query(
              "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query like '%from charges%' and state = 'active'",
            )
          ).rowCount,
      );
    expect((await caller.get('/api/v1/usage')).status).toBe(200);
    // Two looks, since one may fall between two pages.
    await eventually('the database is left alone', async () => (await queries()) === 0 && (await queries()) === 0);
    expect(await service.stop()).toBe(0);
  });
});

function totalIn(tail: string): unknown {
  return exact(tail.slice(tail.indexOf('"total":') + '"total":'.length, -1));
}
