import { operator } from '../../support/api';
import { onDatabase } from '../../support/database';
import { endedExperiment } from '../../support/ended-experiment';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { anotherKey } from '../../support/ledger';
import { worker } from '../../support/worker';

const SLOW = { prompt: '{input} [[sim:slow=200]]', models: ['sim-swift', 'sim-quill'], max_cost_usd: 1, parallel: 1 };
const ROWS = Array.from({ length: 5 }, (_, index) => ({ input: `row ${index}` }));

async function start(caller: Caller, members: object = {}, rows: readonly object[] = ROWS): Promise<string> {
  const dataset = (await caller.post('/api/v1/datasets', { rows })).body.dataset_id as string;
  return (await caller.post('/api/v1/experiments', { dataset, ...SLOW, ...members })).body.experiment_id as string;
}

/** This month's evals of a user by the id of the key that paid. */
async function evalsByKey(owner: Caller): Promise<Record<string, number>> {
  return onDatabase(worker().databaseUrl, async (client) => {
    const { rows } = await client.query<{ key: string; evals: number }>(
      'select key_id as key, count(*)::integer as evals from charges where user_id = $1 group by key_id',
      [owner.userId],
    );
    return Object.fromEntries(rows.map(({ key, evals }) => [key, evals]));
  });
}

describe('An experiment', () => {
  it('pauses with a reason when its key is revoked, and another key of the user pays for the rest', async () => {
    const owner = await createCaller();
    const key = await anotherKey(owner, { scopes: ['experiments', 'experiments:read'] });
    const id = await start(key);
    await operator().delete(`/api/v1/admin/keys/${key.keyId}`);
    const paused = await endedExperiment(owner, id);
    expect(paused).toMatchObject({
      state: 'paused',
      reason: 'key_revoked',
      reason_detail: expect.stringContaining('revoked'),
    });
    expect((await owner.get('/api/v1/usage')).body.eval_count).toBe(paused.rows.done);
    const narrow = await anotherKey(owner, { allowed_models: ['sim-swift'] });
    expect((await narrow.patch(`/api/v1/experiments/${id}`, { state: 'running' })).body.error.code).toBe(
      'model_not_allowed',
    );
    const other = await createCaller();
    expect((await other.patch(`/api/v1/experiments/${id}`, { state: 'running' })).status).toBe(404);
    expect((await owner.get(`/api/v1/experiments/${id}`)).body).toMatchObject({
      state: 'paused',
      reason: 'key_revoked',
    });
    expect((await owner.patch(`/api/v1/experiments/${id}`, { state: 'running' })).status).toBe(200);
    expect(await endedExperiment(owner, id)).toMatchObject({ state: 'finished', rows: { done: 5, failed: 0 } });
    expect(await evalsByKey(owner)).toEqual({
      ...(paused.rows.done > 0 && { [key.keyId]: paused.rows.done }),
      [owner.keyId]: 5 - paused.rows.done,
    });
  });

  it('is paid for by the successor of its key, also without an overlap, and its rows are stored once', async () => {
    const owner = await createCaller();
    const [rotated, other] = [await anotherKey(owner, {}), await anotherKey(owner, {})];
    const rows = Array.from({ length: 12 }, (_, index) => ({ input: `row ${index}` }));
    const [id, othersId] = [await start(rotated, { parallel: 2 }, rows), await start(other)];
    await eventually('a row is done', async () => (await owner.get(`/api/v1/experiments/${id}`)).body.rows.done > 0);
    const { body } = await operator().post(`/api/v1/admin/keys/${rotated.keyId}/rotate`, {});
    expect(await endedExperiment(owner, id)).toMatchObject({ state: 'finished', rows: { done: 12, failed: 0 } });
    await endedExperiment(owner, othersId);
    const evals = await evalsByKey(owner);
    expect(evals[body.id]).toBeGreaterThan(0);
    expect([(evals[rotated.keyId] ?? 0) + (evals[body.id] ?? 0), evals[other.keyId]]).toEqual([12, 5]);
  });

  it('pauses with a reason when its key may no longer call one of its models', async () => {
    const owner = await createCaller();
    const key = await anotherKey(owner, {});
    const id = await start(key);
    await operator().patch(`/api/v1/admin/keys/${key.keyId}`, { allowed_models: ['sim-quill'] });
    expect(await endedExperiment(owner, id)).toMatchObject({ state: 'paused', reason: 'model_not_allowed' });
    expect((await key.patch(`/api/v1/experiments/${id}`, { state: 'running' })).body.error.code).toBe(
      'model_not_allowed',
    );
    await operator().patch(`/api/v1/admin/keys/${key.keyId}`, { allowed_models: null });
    await key.patch(`/api/v1/experiments/${id}`, { state: 'running' });
    expect(await endedExperiment(owner, id)).toMatchObject({ state: 'finished', rows: { done: 5 } });
  });
});
