import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller } from '../../support/factories';
import { startService } from '../../support/service';

const ROWS = 100_000;
/** A statement for all rows takes longer. */
const TIMEOUT_MS = 1000;

describe('A data set of 100,000 rows', () => {
  it('is stored, used and deleted by statements that each take a part of it', async () => {
    const databaseUrl = await ownDatabase('dataset_rows');
    const service = await startService({ DATABASE_URL: databaseUrl, SIMULATOR: 'on', DATASET_MAX_ROWS: `${ROWS}`, DATABASE_TIMEOUT_MS: `${TIMEOUT_MS}` });
    const caller = await createCaller({ at: service.url, freeQuota: 0 });
    const csv = `input,expected\n${Array.from({ length: ROWS }, (_, index) => `question ${index},answer ${index % 7}\n`).join('')}`;
    const upload = () => caller.post('/api/v1/datasets?name=rows', csv, { headers: { 'content-type': 'text/csv' } });
    const { status, body } = await upload();
    expect([status, body.rows]).toEqual([201, ROWS]);
    const id = body.dataset_id as string;
    await onDatabase(databaseUrl, async (client) => {
      const { rows } = await client.query('select count(distinct no)::integer as count, min(no) as first, max(no) as last from dataset_rows where dataset_id = $1', [id]);
      expect(rows).toEqual([{ count: ROWS, first: 0, last: ROWS - 1 }]);
    });
    const again = await upload();
    expect([again.status, again.body.dataset_id]).toEqual([200, id]);
    const { experiment_id: experiment } = (await caller.post('/api/v1/experiments', { dataset: id, limit: 100, prompt: '{input}', models: ['sim-swift'], max_cost_usd: 1 })).body;
    await caller.get(`/api/v1/experiments/${experiment}`, { headers: { prefer: 'wait=30' } });
    const { rows, state } = (await caller.get(`/api/v1/experiments/${experiment}`)).body;
    expect([state, rows.done]).toEqual(['finished', 100]);
    expect((await caller.delete(`/api/v1/datasets/${id}`)).status).toBe(204);
    await onDatabase(databaseUrl, async (client) => expect((await client.query('select from dataset_rows')).rowCount).toBe(0));
    expect(service.output()).not.toMatch(/"level":"(error|warn)"/);
    await service.stop();
  });
});
