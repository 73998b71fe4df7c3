import { endedExperiment, startedExperiment } from './ended-experiment';
import type { Caller } from './factories';

/** The judge of tests; not one of the models that they ask. */
const JUDGE = 'sim-titan';

/** The id of an ended experiment of judges on an ended one of the same user. */
export async function judgeExperiment(caller: Caller, of: string, judge: object = {}): Promise<string> {
  const body = {
    judge: { of, kind: 'pairwise', models: [JUDGE], criterion: 'It answers {input}.', ...judge },
    max_cost_usd: 1,
    parallel: 32,
  };
  const answer = await startedExperiment(caller, body);
  if (answer.status !== 202) throw new Error(`No judges: ${answer.text}`);
  const id = answer.body.experiment_id as string;
  await endedExperiment(caller, id);
  return id;
}
