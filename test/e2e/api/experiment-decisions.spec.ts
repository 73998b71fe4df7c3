import { CANCELED_EXPERIMENT } from '../../../src/modules/experiments/experiment.entity';
import { operator, type Json } from '../../support/api';
import { endedExperiment } from '../../support/ended-experiment';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { anotherKey } from '../../support/ledger';

const MODELS = ['sim-swift', 'sim-quill'];

async function experimentOf(caller: Caller, prompt = 'Say {input}. [[sim:say=a]]'): Promise<string> {
  const { body } = await caller.post(
    '/api/v1/datasets?name=rows',
    ['a', 'b'].map((input) => JSON.stringify({ input })).join('\n'),
    { headers: { 'content-type': 'application/x-ndjson' } },
  );
  const started = await caller.post('/api/v1/experiments', {
    dataset: body.dataset_id,
    prompt,
    models: MODELS,
    checks: [{ type: 'contains', values: ['a'] }],
    max_cost_usd: 1,
  });
  expect(started.status).toBe(202);
  return started.body.experiment_id;
}

const pathOf = (id: string) => `/api/v1/experiments/${id}/decision`;
const decide = (caller: Caller, id: string, body: object) => caller.call('PUT', pathOf(id), body);

describe('The decision after an experiment', () => {
  let caller: Caller;
  let id: string;
  beforeAll(async () => {
    caller = await createCaller();
    id = await experimentOf(caller);
    await endedExperiment(caller, id);
  });

  it('is kept with its time and the name of its key, shown with the experiment, and replaced by a later one', async () => {
    expect((await caller.get(`/api/v1/experiments/${id}`)).body.decision).toBeNull();
    const first = await decide(caller, id, { model: 'sim-quill' });
    expect([first.status, first.body]).toEqual([
      200,
      { model: 'sim-quill', reason: null, tolerance: 0.02, decided_at: expect.any(String), decided_by: 'test' },
    ]);
    const other = await anotherKey(caller, { scopes: ['experiments', 'experiments:read'] });
    const second = await decide(other, id, { model: 'none', reason: 'Too dear.', tolerance: 0.05 });
    expect(second.body).toMatchObject({ model: 'none', reason: 'Too dear.', tolerance: 0.05, decided_by: 'another' });
    const stored = (await caller.get(`/api/v1/experiments/${id}`)).body.decision;
    expect(stored).toEqual(second.body);
    expect((await caller.get('/api/v1/experiments')).body.experiments[0].decision).toEqual(stored);
  });

  it('is taken back once and again', async () => {
    await decide(caller, id, { model: 'sim-swift' });
    for (let time = 0; time < 2; time += 1) expect((await caller.delete(pathOf(id))).status).toBe(204);
    expect((await caller.get(`/api/v1/experiments/${id}`)).body.decision).toBeNull();
  });

  it('is one where ten keys decide at once, and each of them is in the audit log', async () => {
    const own = await createCaller();
    const there = await experimentOf(own);
    await endedExperiment(own, there);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => decide(own, there, { model: MODELS[n % 2], reason: `${n}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { decision } = (await own.get(`/api/v1/experiments/${there}`)).body;
    expect(answers.map(({ body }) => body)).toContainEqual(decision);
    const { entries } = (await operator().get(`/api/v1/admin/audit?target=${there}`)).body;
    expect(entries.map(({ action }: Json) => action)).toEqual(Array.from({ length: 10 }, () => 'experiment.decided'));
    expect(JSON.stringify(entries)).not.toContain('reason');
  });

  it.each([
    [{ model: 'sim-titan' }, 'invalid_request', 'model'],
    [{ model: 'none', reason: 'x'.repeat(2001) }, 'invalid_request', 'reason'],
    [{ model: 'none', tolerance: 0.3 }, 'invalid_request', 'tolerance'],
    [{}, 'invalid_request', 'model'],
  ])('is refused for %j', async (body, code, param) => {
    const refused = await decide(caller, id, body);
    expect([refused.body.error.code, refused.body.error.param]).toEqual([code, param]);
  });

  it('needs the scope of experiments, and an experiment of the user', async () => {
    const reader = await anotherKey(caller, { scopes: ['experiments:read'] });
    expect((await decide(reader, id, { model: 'none' })).body.error.code).toBe('insufficient_scope');
    expect((await reader.delete(pathOf(id))).body.error.code).toBe('insufficient_scope');
    const stranger = await createCaller();
    for (const unknown of [id, 'exp_01k9z3t5v7x9b1d3f5h7k9m1n3', 'nonsense'])
      expect((await decide(stranger, unknown, { model: 'none' })).status).toBe(404);
  });

  it('waits for the end, can be made after a cancellation, and keeps no reason after the erasure', async () => {
    const own = await createCaller();
    const there = await experimentOf(own, '{input} [[sim:slow=20000]]');
    expect((await decide(own, there, { model: 'none' })).body.error.code).toBe('conflict');
    await own.patch(`/api/v1/experiments/${there}`, { state: CANCELED_EXPERIMENT });
    expect((await decide(own, there, { model: 'sim-swift', reason: 'SECRET' })).status).toBe(200);
    await own.delete(`/api/v1/experiments/${there}`);
    await eventually('it is erased', async () => {
      const { state, decision } = (await own.get(`/api/v1/experiments/${there}`)).body;
      expect(decision).toMatchObject({ model: 'sim-swift', reason: null });
      return state === 'erasing' || state === 'erased';
    });
    expect((await decide(own, there, { model: 'none' })).body.error.code).toBe('conflict');
    expect((await own.delete(pathOf(there))).body.error.code).toBe('conflict');
  });
});
