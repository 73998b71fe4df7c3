import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller } from '../../support/factories';
import { QueryRecorder } from '../../support/query-recorder';
import { startService } from '../../support/service';

const ROWS = 100_000;
/** Of one statement. */
const BATCH_ROWS = 5000;

describe('A data set of 100,000 rows', () => {
  it('is numbered in parts that take far less than DATABASE_TIMEOUT_MS each, used and deleted', async () => {
    const databaseUrl = await ownDatabase('dataset_rows');
    const recorder = await QueryRecorder.inFrontOf(databaseUrl);
    const service = await startService({ DATABASE_URL: recorder.url, SIMULATOR: 'on', DATASET_MAX_ROWS: `${ROWS}` });
    const caller = await createCaller({ at: service.url, freeQuota: 0 });
    const csv = `input,expected\n${Array.from({ length: ROWS }, (_, index) => `question ${index},answer ${index % 7}\n`).join('')}`;
    let id = '';
    const statements = await recorder.during(async () => {
      const { status, body } = await caller.post('/api/v1/datasets', csv, { headers: { 'content-type': 'text/csv' } });
      expect([status, body.rows]).toEqual([201, ROWS]);
      id = body.dataset_id as string;
    });
    expect(statements.filter(({ sql }) => sql.includes('update dataset_rows'))).toHaveLength(ROWS / BATCH_ROWS);
    await onDatabase(databaseUrl, async (client) => {
      const { rows } = await client.query(
        'select count(distinct no)::integer as count, min(no) as first, max(no) as last from dataset_rows where dataset_id = $1',
        [id],
      );
      expect(rows).toEqual([{ count: ROWS, first: 0, last: ROWS - 1 }]);
    });
    const { experiment_id: experiment } = (
      await caller.post('/api/v1/experiments', {
        dataset: id,
        limit: 100,
        prompt: '{input}',
        models: ['sim-swift'],
        max_cost_usd: 1,
      })
    ).body;
    const { body } = await caller.get(`/api/v1/experiments/${experiment}`, { headers: { prefer: 'wait=30' } });
    expect([body.state, body.rows.done]).toEqual(['finished', 100]);
    expect((await caller.delete(`/api/v1/datasets/${id}`)).status).toBe(204);
    await onDatabase(databaseUrl, async (client) =>
      expect((await client.query('select from dataset_rows')).rowCount).toBe(0),
    );
    expect(service.output()).not.toContain('"level":"error"');
    await service.stop();
    await recorder.close();
  });
});
