import { CANCELED_EXPERIMENT } from '../../../src/modules/experiments/experiment.entity';
import type { Json } from '../../support/api';
import { endedExperiment } from '../../support/ended-experiment';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { CAPITALS, evalsOf, PROMPT, rates, ROWS, summaryOf } from '../../support/judged-capitals';
import { anotherKey, decimalOf, exact, sumOf, units } from '../../support/ledger';

const MODELS = ['sim-swift', 'sim-quill'];
const RUBRIC = { type: 'rubric', name: 'capital', criterion: 'It names the capital.', judge: 'sim-titan' };

async function bodyOf(caller: Caller, members: object = {}): Promise<object> {
  const dataset = (await caller.post('/api/v1/datasets', { rows: ROWS })).body.dataset_id as string;
  return { dataset, prompt: PROMPT, models: MODELS, checks: [RUBRIC], max_cost_usd: 1, ...members };
}

async function start(caller: Caller, members: object = {}): Promise<Json> {
  const started = await caller.post('/api/v1/experiments', await bodyOf(caller, members));
  expect([started.status, started.text]).toEqual([202, started.text]);
  return started.body;
}

/** The judges of an experiment, by name; their ids may be of the same millisecond. */
async function judgesOf(caller: Caller, { experiment_id: id }: Json): Promise<Json[]> {
  const { experiments } = (await caller.get('/api/v1/experiments')).body;
  const nameOf = ({ name }: Json) => (name ?? 'none') as string;
  return experiments
    .filter(({ judge }: Json) => judge?.of === id)
    .sort((one: Json, other: Json) => nameOf(one).localeCompare(nameOf(other)));
}

/** The judges of an experiment when they and the experiment do not run any more. */
async function ended(caller: Caller, experiment: Json): Promise<[first: Json, ...judges: Json[]]> {
  const first = await endedExperiment(caller, experiment.experiment_id);
  const judges = await judgesOf(caller, experiment);
  return [first, ...(await Promise.all(judges.map((judge) => endedExperiment(caller, judge.experiment_id))))];
}

describe('A rubric', () => {
  it('is judged after the last row, under what is left of one cap, to the last digit', async () => {
    const caller = await createCaller({ freeQuota: 100 });
    const { body: estimate } = await caller.post(
      '/api/v1/experiments/estimate',
      await bodyOf(caller, { max_cost_usd: 10 }),
    );
    const calls = CAPITALS.length * MODELS.length;
    expect(estimate).toMatchObject({ rows: 5, calls: calls + calls + 8, fits_cap: true });
    const [first, judge] = await ended(caller, await start(caller, { name: 'Capitals' }));
    expect(first).toMatchObject({ state: 'finished', name: 'Capitals', judge: null, checks: [RUBRIC] });
    expect(judge).toMatchObject({
      state: 'finished',
      name: 'capital',
      models: ['sim-titan'],
      judge: {
        of: first.experiment_id,
        kind: 'rubric',
        criterion: RUBRIC.criterion,
        scale: 'pass_fail',
        judged: MODELS,
        rows: 5,
      },
      rows: { total: calls + 8, done: calls + 8, failed: 0 },
    });
    const [asked, judged] = await Promise.all(
      [first, judge].map(async ({ experiment_id: id }) => exact((await caller.get(`/api/v1/experiments/${id}`)).text)),
    );
    for (const [one, experiment] of [
      [asked, first],
      [judged, judge],
    ])
      expect(one.cost_usd).toBe(sumOf((await evalsOf(experiment)).map((stored) => stored.total_cost)));
    expect([asked.max_cost_usd, judged.max_cost_usd]).toEqual([
      asked.cost_usd,
      decimalOf(units('1') - units(asked.cost_usd)),
    ]);
    expect(first.cost_usd + judge.cost_usd).toBeLessThanOrEqual(estimate.most_cost_usd);
    const usage = exact((await caller.get('/api/v1/usage')).text);
    expect([usage.eval_count, usage.total_charge_usd]).toEqual([
      String(5 + 18),
      sumOf([asked.charge_usd, judged.charge_usd]),
    ]);
  });

  it('decides the recommendation of its experiment where no other check does, and is only shown beside it where one does', async () => {
    const caller = await createCaller();
    const [alone, , beside] = [
      await start(caller),
      0,
      await start(caller, { checks: [RUBRIC, { type: 'contains', values: ['Rome'] }] }),
    ];
    const [first, judge] = await ended(caller, alone);
    const summary = await summaryOf(caller, first);
    expect(summary).toMatchObject({
      ranking: null,
      judgment: null,
      recommendation: { model: 'sim-swift', words: expect.stringContaining('These are the verdicts of sim-titan.') },
      judged_by: [
        {
          experiment_id: judge.experiment_id,
          name: 'capital',
          kind: 'rubric',
          state: 'finished',
          models: ['sim-titan'],
          judged: [
            { model: 'sim-swift', rate: 1 },
            { model: 'sim-quill', rate: 0.2 },
          ],
          headline: expect.any(String),
        },
      ],
    });
    const [checked] = await ended(caller, beside);
    const other = await summaryOf(caller, checked);
    expect(other.recommendation.model).toBe('sim-quill');
    expect(other.recommendation.words).not.toContain('verdicts');
    expect([other.judged_by.length, rates(other.models, 'passed')]).toEqual([
      1,
      [
        ['sim-swift', 0.2],
        ['sim-quill', 1],
      ],
    ]);
  });

  it('may be one of several, which share the rest of the cap equally', async () => {
    const caller = await createCaller();
    const marks = { type: 'rubric', criterion: 'It is short.', judge: 'sim-sage@low', scale: 5 };
    const [first, one, two] = await ended(caller, await start(caller, { checks: [RUBRIC, marks] }));
    expect([one, two]).toMatchObject([
      { state: 'finished', name: 'capital', judge: { scale: 'pass_fail' } },
      { state: 'finished', name: null, models: ['sim-sage@low'], judge: { scale: 5 } },
    ]);
    const rest =
      units('1') - units(exact((await caller.get(`/api/v1/experiments/${first.experiment_id}`)).text).cost_usd);
    // A digit beyond the twelfth is dropped.
    const half = decimalOf(rest / 2n)
      .slice(0, 14)
      .replace(/0+$/, '');
    for (const { experiment_id: id } of [one, two])
      expect(exact((await caller.get(`/api/v1/experiments/${id}`)).text).max_cost_usd).toBe(half);
    const { judged_by: judgedBy } = await summaryOf(caller, first);
    expect(new Set(judgedBy.map(({ name }: Json) => name as string))).toEqual(new Set([null, 'capital']));
  });

  it('waits for the answers and begins by itself; meanwhile it can only be canceled, and is with its experiment', async () => {
    const caller = await createCaller();
    const slow = { prompt: `${PROMPT} [[sim:slow=500]]`, parallel: 1 };
    const [kept, dropped] = [await start(caller, slow), await start(caller, slow)];
    const [[waiting], [other]] = [await judgesOf(caller, kept), await judgesOf(caller, dropped)];
    expect(waiting).toMatchObject({
      state: 'paused',
      reason: 'waiting_for_answers',
      reason_detail: `It begins when ${kept.experiment_id} has ended.`,
      rows: { total: 18, done: 0, running: 0, waiting: 0 },
    });
    const patch = (one: Json, body: object) => caller.patch(`/api/v1/experiments/${one.experiment_id}`, body);
    for (const body of [
      { state: 'running' },
      { state: 'paused' },
      { max_cost_usd: 5 },
      { retry: 'failed' },
      { retry: 'missing' },
    ]) {
      const { status, body: answer } = await patch(waiting, body);
      expect([status, answer.error?.code, answer.error?.message]).toEqual([
        409,
        'conflict',
        'This experiment begins by itself when the experiment that it judges has ended.',
      ]);
    }
    expect(await summaryOf(caller, kept)).toMatchObject({
      final: false,
      judged_by: [{ state: 'paused', judged: [], headline: null }],
    });
    expect((await patch(dropped, { state: CANCELED_EXPERIMENT })).status).toBe(200);
    expect((await judgesOf(caller, dropped))[0]).toMatchObject({
      experiment_id: other.experiment_id,
      state: CANCELED_EXPERIMENT,
      reason: null,
      finished_at: expect.any(String),
      cost_usd: 0,
    });
    const alone = await start(caller, slow);
    const [judge] = await judgesOf(caller, alone);
    expect((await patch(judge, { state: CANCELED_EXPERIMENT })).body.state).toBe(CANCELED_EXPERIMENT);
    for (const [one, state] of [
      [kept, 'finished'],
      [alone, CANCELED_EXPERIMENT],
    ] as const)
      expect((await ended(caller, one)).map((experiment) => experiment.state)).toEqual(['finished', state]);
  });

  it('waits also for answers that a raised cap lets come', async () => {
    const caller = await createCaller();
    const experiment = await start(caller, { max_cost_usd: 0 });
    const [paused, judge] = await ended(caller, experiment);
    expect([paused, judge]).toMatchObject([{ reason: 'cap_reached' }, { reason: 'waiting_for_answers' }]);
    await caller.patch(`/api/v1/experiments/${experiment.experiment_id}`, { max_cost_usd: 1 });
    await eventually(
      'its judge has finished',
      async () => (await judgesOf(caller, experiment))[0]?.state === 'finished',
    );
  });

  it('never costs more than the cap together with its experiment, pauses when it is reached, and goes on under a higher one', async () => {
    const caller = await createCaller();
    const [asked, all] = await ended(caller, await start(caller));
    const { most_cost_usd: most } = (
      await caller.post('/api/v1/experiments/estimate', {
        judge: { of: asked.experiment_id, kind: 'rubric', models: [RUBRIC.judge], criterion: RUBRIC.criterion },
      })
    ).body;
    // Half of what the judge costs, and the most that one more row can cost.
    const cap = Number((asked.cost_usd + all.cost_usd / 2 + most / 18).toFixed(12));
    const [first, judge] = await ended(caller, await start(caller, { max_cost_usd: cap, parallel: 1 }));
    expect([first.state, judge]).toMatchObject([
      'finished',
      { state: 'paused', reason: 'cap_reached', rows: { running: 0, waiting: 0, failed: 0 } },
    ]);
    expect(judge.rows.done).toBeGreaterThan(0);
    expect(judge.rows.done).toBeLessThan(18);
    expect(first.cost_usd + judge.cost_usd).toBeLessThanOrEqual(cap);
    const middle = await summaryOf(caller, judge);
    expect(middle).toMatchObject({ final: false, recommendation: null, judgment: { cautions: [] } });
    expect((await summaryOf(caller, first)).judged_by).toMatchObject([{ state: 'paused', judged: [], headline: null }]);
    await caller.patch(`/api/v1/experiments/${judge.experiment_id}`, { max_cost_usd: 1 });
    expect(await endedExperiment(caller, judge.experiment_id)).toMatchObject({ state: 'finished', rows: { done: 18 } });
    expect(await summaryOf(caller, judge)).toMatchObject({ final: true, judgment: { judges: [{ verdicts: 18 }] } });
  });

  it('is made once for the same Idempotency-Key', async () => {
    const caller = await createCaller();
    const body = await bodyOf(caller);
    const post = (more: object = {}) =>
      caller.post('/api/v1/experiments', { ...body, ...more }, { headers: { 'idempotency-key': 'rubric' } });
    const [one, two] = await Promise.all([post(), post()]);
    expect([one.status, one.body.experiment_id]).toEqual([202, two.body.experiment_id]);
    expect((await post({ checks: [{ ...RUBRIC, criterion: 'Another.' }] })).body.error.code).toBe(
      'idempotency_key_reused',
    );
    expect((await caller.get('/api/v1/experiments')).body.experiments).toHaveLength(2);
  });

  it.each([
    ['a judge among the models', { judge: 'sim-swift' }, 'judge_not_neutral', 'checks[1].judge'],
    ['an unknown judge', { judge: 'nobody' }, 'unknown_model', 'checks[1].judge'],
    ['an unknown effort', { judge: 'sim-titan@low' }, 'invalid_request', 'checks[1].judge'],
    ['no judge', { judge: undefined }, 'invalid_request', 'checks[1].judge'],
    ['a blank criterion', { criterion: ' ' }, 'invalid_request', 'checks[1].criterion'],
    ['a criterion of 4,001 characters', { criterion: 'a'.repeat(4001) }, 'invalid_request', 'checks[1].criterion'],
    ['a name of other characters', { name: 'A rubric' }, 'invalid_request', 'checks[1].name'],
    ['the name of another check', { name: 'finished-1' }, 'invalid_request', 'checks[1].name'],
    ['a member of other checks', { values: ['a'] }, 'invalid_request', 'checks[1].values'],
    ['an unknown scale', { scale: 3 }, 'invalid_request', 'checks[1].scale'],
  ])('is refused with %s, and neither experiment begins', async (_, members, code, param) => {
    const caller = await createCaller();
    const body = await bodyOf(caller, { checks: [{ type: 'finished' }, { ...RUBRIC, ...members }] });
    for (const path of ['/api/v1/experiments', '/api/v1/experiments/estimate']) {
      const { error } = (await caller.post(path, body)).body;
      expect([error?.code, error?.param]).toEqual([code, param]);
    }
    expect((await caller.get('/api/v1/experiments')).body.experiments).toEqual([]);
  });

  it('is refused with a judge that the key may not call, and with a name that a row lacks', async () => {
    const caller = await createCaller();
    const narrow = await anotherKey(caller, { allowed_models: MODELS });
    const body = await bodyOf(caller);
    const rows = [{ input: 'a', variables: { city: 'Rome' } }, { input: 'b' }];
    const lacking = (await caller.post('/api/v1/datasets', { rows })).body.dataset_id as string;
    const named = {
      ...body,
      dataset: lacking,
      prompt: '{input}',
      checks: [{ ...RUBRIC, criterion: 'It is about {city}.' }],
    };
    for (const path of ['/api/v1/experiments', '/api/v1/experiments/estimate']) {
      expect((await narrow.post(path, body)).body.error?.code).toBe('model_not_allowed');
      expect((await caller.post(path, named)).body.error).toMatchObject({ code: 'invalid_request', param: 'checks' });
    }
    expect((await caller.get('/api/v1/experiments')).body.experiments).toEqual([]);
  });

  it('is refused in single compares, checks of texts and rows of data sets, with what to do', async () => {
    const caller = await createCaller();
    const checks = [RUBRIC];
    const answers = [
      await caller.compare({ prompt: 'Hello', models: ['sim-swift'], checks }),
      await caller.post('/api/v1/checks', { output: 'Hello', checks }),
      await caller.post('/api/v1/datasets', { rows: [{ input: 'Hello', checks }] }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.error.code]).toEqual([400, 'invalid_request']);
      expect(body.error.message).toContain(
        'must not be rubric here: one verdict of a judge on one answer decides nothing; POST /experiments takes rubrics, for the rows of a data set',
      );
    }
    expect((await caller.usage()).eval_count).toBe(0);
  });
});
