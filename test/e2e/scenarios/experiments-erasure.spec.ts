import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { columnsWith, onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { verifyLedger } from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';

const BATCH_ROWS = 200;
const ROWS = 5 * BATCH_ROWS;

const NOBODY = 'exp_01k9z3t5v7x9b1d3f5h7k9m1n3';
/** Transactions that are open, also those of a process that is dead. */
const OPEN =
  'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null';
const WAITS = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/** Locks the eval of a row, so that the batch with it waits; returns what lets it go on. */
async function holdUp(databaseUrl: string, experimentId: string, rowNo: number): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin');
  const { rowCount } = await client.query(
    'select from evals where id = (select eval_id from experiment_rows where experiment_id = $1 and row_no = $2) for update',
    [experimentId, rowNo],
  );
  expect(rowCount).toBe(1);
  return () => client.end();
}

describe('The erasure of an experiment and kill -9', () => {
  it(`goes on after its batch, by the next start and by another process, until no text of ${ROWS} rows is left`, async () => {
    const databaseUrl = await ownDatabase('experiments_erasure');
    const start = () =>
      startService({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true', SIMULATOR: 'on', MAX_CONCURRENT_RUNS: '32' });
    const query = async <Row extends object>(text: string, values: unknown[] = []) =>
      onDatabase(databaseUrl, async (client) => (await client.query<Row>(text, values)).rows);
    const secret = `TEXT-${randomUUID()}`;
    const first = await start();
    const caller = await createCaller({ at: first.url, freeQuota: 0 });
    const rows = Array.from({ length: ROWS }, (_, index) =>
      JSON.stringify({ id: `${secret}-${index}`, input: `${secret} ${index}` }),
    ).join('\n');
    const {
      body: { dataset_id: dataset },
    } = await caller.post('/api/v1/datasets', rows, { headers: { 'content-type': 'application/x-ndjson' } });
    const {
      body: { experiment_id: id },
    } = await caller.post('/api/v1/experiments', {
      name: secret,
      dataset,
      prompt: `{input} [[sim:say=${secret}]]`,
      models: ['sim-swift'],
      max_cost_usd: 10,
      parallel: 32,
    });
    const path = `/api/v1/experiments/${id}`;
    await eventually('it has finished', async () => (await caller.get(path)).body.state === 'finished', 200_000);
    const before = (await caller.get(path)).body;
    const [usage, summary] = [await caller.usage(), (await caller.get(`${path}/summary`)).text];

    /** Kills a process while it erases the batch of a row, and waits until that batch is undone. */
    const killAt = async (
      rowNo: number,
      begin: () => Promise<ServiceProcess>,
      meanwhile: () => Promise<void> = async () => undefined,
    ) => {
      const goOn = await holdUp(databaseUrl, id as string, rowNo);
      const victim = await begin();
      await eventually('its batch waits', async () => (await query(WAITS)).length > 0);
      await meanwhile();
      await victim.kill();
      await goOn();
      await eventually('the batch is undone', async () => (await query(OPEN)).length === 0);
    };
    const expectLeft = async (erasedTo: number) => {
      expect(await query('select state, erased_to from experiments')).toEqual([
        { state: 'erasing', erased_to: erasedTo },
      ]);
      expect((await query('select 1 from evals')).length).toBe(ROWS - erasedTo);
      expect((await query("select 1 from experiment_rows where row_id <> ''")).length).toBe(ROWS - erasedTo);
    };
    await killAt(BATCH_ROWS + 50, async () => {
      const answer = await caller.delete(path);
      expect([answer.status, answer.body]).toEqual([202, { experiment_id: id, state: 'erasing' }]);
      return first;
    });
    await expectLeft(BATCH_ROWS);
    await killAt(3 * BATCH_ROWS + 1, start);
    await expectLeft(3 * BATCH_ROWS);
    let other: ServiceProcess | undefined;
    await killAt(4 * BATCH_ROWS, start, async () => {
      other = await start();
    });
    if (other === undefined) throw new Error('It was started.');
    const back = caller.at(other.url);
    const again = await back.delete(path);
    // It may have gone on by itself.
    expect([again.status, again.body]).toEqual([
      202,
      { experiment_id: id, state: expect.stringMatching(/^eras(ing|ed)$/) as unknown },
    ]);
    await eventually('it is erased', async () => (await back.get(path)).body.state === 'erased');
    expect((await back.delete(path)).body).toEqual({ experiment_id: id, state: 'erased' });

    expect((await columnsWith(databaseUrl, secret)).filter((column) => !column.startsWith('dataset_rows.'))).toEqual(
      [],
    );
    expect((await back.get(path)).body).toEqual({
      ...before,
      state: 'erased',
      name: null,
      prompt: null,
      options: null,
      checks: [],
    });
    expect([await back.usage(), (await back.get(`${path}/summary`)).text]).toEqual([usage, summary]);
    const batches = await query<{ count: number }>(
      "select (changes -> 'count' ->> 'to')::integer as count from audit_entries where action = 'experiment.evals_erased'",
    );
    expect(batches.map(({ count }) => count)).toEqual(Array.from({ length: ROWS / BATCH_ROWS }, () => BATCH_ROWS));
    expect((await back.delete(`/api/v1/experiments/${NOBODY}`)).status).toBe(404);
    expect(other.output()).not.toMatch(/"level":"error"|could not be erased/);
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
    expect(await other.stop()).toBe(0);
  }, 400_000);
});
