import type { Json } from './api';
import { onDatabase } from './database';
import { endedExperiment } from './ended-experiment';
import type { Caller } from './factories';
import { worker } from './worker';

export const MODELS = ['sim-swift', 'sim-quill', 'sim-sage'];
export const CAPITALS = ['Paris', 'Rome', 'Madrid', 'Vienna', 'Lima'];
/** In every row `sim-swift` names the capital, `sim-quill` names Rome, and `sim-sage` names none. */
export const PROMPT =
  'The capital of {input}? [[sim-swift:say={capital}]] [[sim-quill:say=Rome]] [[sim-sage:say=None at all.]]';
export const ROWS = CAPITALS.map((capital, no) => ({
  input: `country ${no}`,
  expected: capital,
  variables: { capital },
}));

/** The id of an ended experiment of some rows. */
export async function answered(caller: Caller, members: object = {}, rows: readonly object[] = ROWS): Promise<string> {
  const dataset = (await caller.post('/api/v1/datasets', { rows })).body.dataset_id as string;
  const body = { dataset, prompt: PROMPT, models: MODELS, max_cost_usd: 10, parallel: 32, ...members };
  const started = await caller.post('/api/v1/experiments', body);
  expect([started.status, started.text]).toEqual([202, started.text]);
  expect((await endedExperiment(caller, started.body.experiment_id)).state).toBe('finished');
  return started.body.experiment_id as string;
}

export const bodyOf = (of: string, judge: object) => ({
  judge: { of, kind: 'pairwise', models: ['sim-titan'], criterion: 'It names the capital.', ...judge },
  max_cost_usd: 10,
  parallel: 32,
});

/** An experiment of judges when it does not run any more. */
export async function judging(caller: Caller, of: string, judge: object = {}): Promise<Json> {
  const started = await caller.post('/api/v1/experiments', bodyOf(of, judge));
  expect([started.status, started.text]).toEqual([202, started.text]);
  return endedExperiment(caller, started.body.experiment_id);
}

export const summaryOf = async (caller: Caller, { experiment_id: id }: Json): Promise<Json> =>
  (await caller.get(`/api/v1/experiments/${id}/summary`)).body;
export const rowsOf = async (caller: Caller, { experiment_id: id }: Json): Promise<Json[]> =>
  (await caller.get(`/api/v1/experiments/${id}/rows?limit=100`)).body.rows;

/** The stored evals of an experiment, and what was asked in each. */
export async function evalsOf({ experiment_id: id }: Json): Promise<Json[]> {
  return onDatabase(
    worker().databaseUrl,
    async (client) =>
      (
        await client.query<Json>(
          `select evals.*, coalesce(input, prompt) as question, charges.cost as charged_cost, charges.charge as charged
           from evals left join charges on charges.eval_id = evals.id where experiment_id = $1 order by evals.id`,
          [id],
        )
      ).rows,
  );
}

export const rates = (models: Json[], member: 'passed' | 'score'): unknown[] =>
  models.map(({ model, [member]: figure }) => [model, figure?.rate ?? figure?.mean]);
