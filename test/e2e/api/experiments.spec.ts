import type { Json } from '../../support/api';
import { createCaller, type Caller } from '../../support/factories';
import { eventually } from '../../support/timing';

const CAPITALS = [['France', 'Paris'], ['Italy', 'Rome'], ['Spain', 'Madrid'], ['Austria', 'Vienna'], ['Peru', 'Lima']];

async function dataset(caller: Caller, rows: readonly object[] = CAPITALS.map(([input, expected]) => ({ input, expected }))): Promise<string> {
  const { body } = await caller.post('/api/v1/datasets?name=capitals', rows.map((row) => JSON.stringify(row)).join('\n'), { headers: { 'content-type': 'application/x-ndjson' } });
  return body.dataset_id as string;
}

async function finished(caller: Caller, id: string): Promise<Json> {
  const { body } = await caller.get(`/api/v1/experiments/${id}`, { headers: { prefer: 'wait=20' } });
  return body;
}

describe('An experiment', () => {
  it('runs every row once, and its cost is the sum of its evals', async () => {
    const caller = await createCaller();
    const body = { name: 'Capitals', dataset: await dataset(caller), prompt: 'What is the capital of {input}? [[sim:say=Rome]]', models: ['sim-swift', 'sim-quill'], checks: [{ type: 'contains', values: ['{expected}'] }], max_cost_usd: 1 };
    const started = await caller.post('/api/v1/experiments', body);
    expect([started.status, started.text]).toEqual([202, expect.any(String)]);
    const id = started.body.experiment_id as string;
    expect(started.headers.get('location')).toBe(`/api/v1/experiments/${id}`);
    const end = await finished(caller, id);
    expect(end).toMatchObject({ state: 'finished', reason: null, rows: { total: 5, done: 5, failed: 0, running: 0, waiting: 0 }, max_cost_usd: 1 });
    const { body: usage } = await caller.get('/api/v1/usage');
    expect(usage).toMatchObject({ eval_count: 5 });
  });
});
void eventually;
