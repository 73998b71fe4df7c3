import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CANCELED_EXPERIMENT } from '../../../src/modules/experiments/experiment.entity';
import catalog from '../../../src/modules/models/catalog.json';
import { operator, type Answer, type Json } from '../../support/api';
import { ownDatabase } from '../../support/database';
import { endedExperiment } from '../../support/ended-experiment';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { answered, bodyOf, judging } from '../../support/judged-capitals';
import { anotherKey } from '../../support/ledger';
import { startService } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';

const SIX = ['sim-swift', 'sim-quill', 'sim-sage', 'sim-sage@low', 'sim-sage@medium', 'sim-sage@high'];
const PLAIN = { prompt: '{input}', models: ['sim-swift', 'sim-quill', 'sim-sage@low'] };

const told = ({ status, body: { error } }: Answer<Json>): unknown[] => [status, error?.code, error?.param];

/** The answers to a body of the start of an experiment, and of its estimate. */
async function refusals(caller: Caller, body: object): Promise<{ answer: Answer<Json>; estimate: Answer<Json> }> {
  return {
    answer: await caller.post('/api/v1/experiments', body),
    estimate: await caller.post('/api/v1/experiments/estimate', body),
  };
}

describe('An experiment of judges is refused', () => {
  let caller: Caller;
  const ofs: Record<string, string> = {};
  beforeAll(async () => {
    caller = await createCaller();
    ofs['three'] = await answered(caller, PLAIN);
    ofs['one'] = await answered(caller, { ...PLAIN, models: ['sim-swift'] });
    ofs['six'] = await answered(caller, { ...PLAIN, models: SIX, limit: 1 });
    ofs['judges'] = (await judging(caller, ofs['one'], { kind: 'rubric' })).experiment_id;
    ofs['lacking'] = await answered(caller, PLAIN, [
      { id: 'one', input: 'a', variables: { city: 'Rome' } },
      { id: 'two', input: 'b' },
    ]);
  });

  it.each<[string, { of?: string; [member: string]: unknown }, string, string]>([
    ['a judge among the judged', { models: ['sim-swift'] }, 'judge_not_neutral', 'judge.models'],
    [
      'a judge among the judged beside another',
      { models: ['sim-titan', 'sim-swift'] },
      'judge_not_neutral',
      'judge.models',
    ],
    ['a judge that is judged with an effort', { models: ['sim-sage'] }, 'judge_not_neutral', 'judge.models'],
    ['a judge that is judged with another effort', { models: ['sim-sage@high'] }, 'judge_not_neutral', 'judge.models'],
    ['an unknown judge', { models: ['nobody'] }, 'unknown_model', 'judge.models[0]'],
    [
      'an unknown effort of a judge',
      { models: ['gpt-6.2-sol', 'sim-titan@low'] },
      'invalid_request',
      'judge.models[1]',
    ],
    ['no judge', { models: [] }, 'invalid_request', 'judge.models'],
    ['four judges', { models: ['a', 'b', 'c', 'd'] }, 'invalid_request', 'judge.models'],
    ['the same judge twice', { models: ['sim-titan', 'sim-titan'] }, 'invalid_request', 'judge.models'],
    ['a blank criterion', { criterion: ' \n ' }, 'invalid_request', 'judge.criterion'],
    ['a criterion of 4,001 characters', { criterion: 'a'.repeat(4001) }, 'invalid_request', 'judge.criterion'],
    ['an unknown baseline', { baseline: 'sim-titan' }, 'invalid_request', 'judge.baseline'],
    ['a baseline for a rubric', { kind: 'rubric', baseline: 'sim-swift' }, 'invalid_request', 'judge.baseline'],
    ['no baseline for six models', { of: 'six' }, 'invalid_request', 'judge.baseline'],
    ['a scale for pairs', { scale: 5 }, 'invalid_request', 'judge.scale'],
    ['an unknown scale', { kind: 'rubric', scale: 7 }, 'invalid_request', 'judge.scale'],
    ['pairs of one model', { of: 'one' }, 'invalid_request', 'judge.kind'],
    ['another kind', { kind: 'ranking' }, 'invalid_request', 'judge.kind'],
    ['no rows', { rows: 0 }, 'invalid_request', 'judge.rows'],
    ['judges of judges', { of: 'judges', kind: 'rubric' }, 'invalid_request', 'judge.of'],
    ['an id of something else', { of: 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3' }, 'invalid_request', 'judge.of'],
    [
      'a name that a row lacks',
      { of: 'lacking', criterion: 'It is about {city}.' },
      'invalid_request',
      'judge.criterion',
    ],
  ])('with %s', async (_, { of = 'three', ...judge }, code, param) => {
    const before = (await caller.get('/api/v1/experiments')).body;
    const { answer, estimate } = await refusals(caller, bodyOf(ofs[of] ?? of, judge));
    expect([told(answer), told(estimate)]).toEqual([
      [400, code, param],
      [400, code, param],
    ]);
    expect((await caller.get('/api/v1/experiments')).body).toEqual(before);
  });

  it.each([
    ['dataset', 'ds_01k9z3t5v7x9b1d3f5h7k9m1n3'],
    ['limit', 1],
    ['prompt', '{input}'],
    ['models', ['sim-titan']],
    ['options', { max_tokens: 10 }],
    ['checks', [{ type: 'finished' }]],
  ])('with %s beside judge', async (name, value) => {
    for (const answer of Object.values(await refusals(caller, { ...bodyOf(ofs['three'] ?? '', {}), [name]: value }))) {
      expect(told(answer)).toEqual([400, 'invalid_request', name]);
      expect(answer.body.error.message).toBe(`${name} must be left out beside judge.`);
    }
  });

  it.each(['dataset', 'prompt', 'models'])('without %s only beside judge', async (name) => {
    const body = { dataset: 'ds_01k9z3t5v7x9b1d3f5h7k9m1n3', ...PLAIN, max_cost_usd: 1, [name]: undefined };
    for (const answer of Object.values(await refusals(caller, body)))
      expect([told(answer), answer.body.error.message]).toEqual([
        [400, 'invalid_request', name],
        `${name} is required.`,
      ]);
  });

  it('of an experiment that is unknown, of another user, running, without an answer or erased, or has no data set any more', async () => {
    const other = await createCaller();
    const tries = async (by: Caller, of: string) => {
      const { answer, estimate } = await refusals(by, bodyOf(of, {}));
      expect(told(estimate)).toEqual(told(answer));
      return [...told(answer), answer.body.error.message];
    };
    const unknown = await tries(other, 'exp_01k9z3t5v7x9b1d3f5h7k9m1n3');
    expect(unknown).toEqual([404, 'not_found', undefined, 'No experiment with this id exists.']);
    expect(await tries(other, ofs['three'] ?? '')).toEqual(unknown);

    const { body: dataset } = await caller.post('/api/v1/datasets', { rows: [{ input: 'a' }, { input: 'b' }] });
    const slow = {
      dataset: dataset.dataset_id,
      prompt: '{input} [[sim:slow=1500]]',
      models: ['sim-swift', 'sim-quill'],
      max_cost_usd: 1,
      parallel: 1,
    };
    const id = (await caller.post('/api/v1/experiments', slow)).body.experiment_id as string;
    const open = [
      409,
      'conflict',
      'judge.of',
      'Only an experiment that has ended with answers and was not erased can be judged.',
    ];
    const read = async () => (await caller.get(`/api/v1/experiments/${id}`)).body;
    await eventually('a row runs', async () => (await read()).rows.running === 1);
    expect(await tries(caller, id)).toEqual(open);
    await caller.patch(`/api/v1/experiments/${id}`, { state: 'paused' });
    expect(await tries(caller, id)).toEqual(open);
    await caller.patch(`/api/v1/experiments/${id}`, { state: CANCELED_EXPERIMENT });
    // Its last answer is still to come.
    expect([(await read()).rows.running, await tries(caller, id)]).toEqual([1, open]);
    await eventually('no row runs', async () => (await read()).rows.running === 0);
    expect((await judging(caller, id)).rows).toMatchObject({ total: 10, done: 10 });

    await caller.delete(`/api/v1/datasets/${dataset.dataset_id}`);
    expect(await tries(caller, id)).toEqual([
      409,
      'conflict',
      'judge.of',
      'The data set of the judged experiment was deleted.',
    ]);
    await caller.delete(`/api/v1/experiments/${id}`);
    expect(await tries(caller, id)).toEqual(open);
    const poor = (
      await caller.post('/api/v1/experiments', {
        dataset: (await caller.post('/api/v1/datasets', { rows: [{ input: 'a' }] })).body.dataset_id,
        ...PLAIN,
        max_cost_usd: 0,
      })
    ).body.experiment_id as string;
    await endedExperiment(caller, poor);
    await caller.patch(`/api/v1/experiments/${poor}`, { state: CANCELED_EXPERIMENT });
    expect(await tries(caller, poor)).toEqual(open);
  });

  it('without the scope, or the right to call the judge', async () => {
    const body = bodyOf(ofs['three'] ?? '', {});
    const scoped = await anotherKey(caller, { scopes: ['experiments:read', 'evals:read', 'compare'] });
    const refused = await refusals(scoped, body);
    expect([told(refused.answer), told(refused.estimate)]).toEqual(
      Array(2).fill([403, 'insufficient_scope', undefined]),
    );
    const narrow = await anotherKey(caller, { allowed_models: ['sim-swift'] });
    const denied = await refusals(narrow, body);
    expect([denied.answer, denied.estimate].map((answer) => told(answer).slice(0, 2))).toEqual(
      Array(2).fill([403, 'model_not_allowed']),
    );
    // Who may call the judge need not be allowed to call the judged models.
    const judgeOnly = await anotherKey(caller, { allowed_models: ['sim-titan'], scopes: ['experiments'] });
    expect((await judgeOnly.post('/api/v1/experiments', { ...body, max_cost_usd: 0 })).status).toBe(202);
  });

  it('with an Idempotency-Key that another request had; the same request gives the same experiment', async () => {
    const post = (judge: object, by = caller) =>
      by.post('/api/v1/experiments', bodyOf(ofs['three'] ?? '', { rows: 1, ...judge }), {
        headers: { 'idempotency-key': 'judge' },
      });
    const answers = await Promise.all([post({}), post({}), post({})]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ body }) => body.experiment_id as string)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(2);
    for (const change of [{ rows: 2 }, { criterion: 'Another.' }, { kind: 'rubric' }, { baseline: 'sim-swift' }])
      expect(told(await post(change))).toEqual([422, 'idempotency_key_reused', 'Idempotency-Key']);
    await endedExperiment(caller, answers[0]?.body.experiment_id as string);
  });
});

describe('A judge', () => {
  it('with another id of a judged model is not neutral, and needs a payment method', async () => {
    const file = join(temporaryFolder(), 'catalog.json');
    const model = catalog.find(({ id }) => id === 'sim-swift');
    writeFileSync(
      file,
      JSON.stringify([...catalog, { ...model, id: 'sim-swift-again', vendorModel: 'sim-swift-2026-11-01' }]),
    );
    const service = await startService({
      DATABASE_URL: await ownDatabase('judge_refusals'),
      SIMULATOR: 'on',
      MODEL_CATALOG_FILE: file,
      BILLING_ENFORCEMENT: 'require_payment_method',
    });
    const caller = await createCaller({ at: service.url, hasPaymentMethod: true });
    const of = await answered(caller, PLAIN);
    const again = await caller.post('/api/v1/experiments', bodyOf(of, { models: ['sim-swift-again'] }));
    expect(told(again)).toEqual([400, 'judge_not_neutral', 'judge.models']);
    expect(again.body.error.message).toBe('sim-swift-again is among the judged models; choose a judge that is not.');
    await operator(service.url).patch(`/api/v1/admin/users/${caller.userId}`, { has_payment_method: false });
    const unpaid = await caller.post('/api/v1/experiments', bodyOf(of, {}));
    expect(told(unpaid)).toEqual([402, 'payment_required', undefined]);
    await service.stop();
  });
});
