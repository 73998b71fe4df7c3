import { onDatabase } from './database';
import { endedExperiment, startedExperiment } from './ended-experiment';
import type { Caller } from './factories';
import { judgeExperiment } from './judge-experiment';
import { insertParked } from './meter-events';
import { worker } from './worker';

/**
 * The id of something of a caller, by the segment before it in a path, such as `runs`; made where that takes a request.
 */
export async function idFor(things: string, caller: Caller, evalId: string): Promise<string> {
  const ids: Record<string, () => string | Promise<string>> = {
    evals: () => evalId,
    users: () => caller.userId,
    keys: () => caller.keyId,
    'meter-events': () => onDatabase(worker().databaseUrl, (client) => insertParked(client, caller)),
    runs: async () =>
      (
        await caller.compare(
          { prompt: 'in the background', models: ['sim-swift'] },
          { headers: { prefer: 'respond-async' } },
        )
      ).body.run_id as string,
    shares: async () => (await newShare(caller, evalId)).share_id,
    datasets: async () =>
      (await caller.post('/api/v1/datasets', { rows: [{ input: evalId }] })).body.dataset_id as string,
    experiments: () => newExperiment(caller, evalId),
    shared: async () => (await newShare(caller, evalId)).token,
    'experiments with judges': () => newJudges(caller, evalId),
    'shared with judges': async () => (await newShare(caller, await newJudges(caller, evalId), { votes: true })).token,
  };
  return (await ids[things]?.()) ?? 'some-id';
}

/** An experiment with the prompt of an eval as its only row, in which its models differ. */
async function newExperiment(caller: Caller, evalId: string): Promise<string> {
  const input = ((await caller.get(`/api/v1/evals/${evalId}`)).body as { prompt?: string }).prompt ?? 'none';
  const dataset = (await caller.post('/api/v1/datasets', { rows: [{ input }] })).body.dataset_id as string;
  const started = await startedExperiment(caller, {
    dataset,
    prompt: '{input} [[sim-quill:say=no]]',
    models: ['sim-swift', 'sim-quill'],
    checks: [{ type: 'equals', value: 'no' }],
    max_cost_usd: 1,
  });
  // A key without the scope has none.
  const id = (started.body.experiment_id as string | undefined) ?? 'some-id';
  await endedExperiment(caller, id);
  return id;
}

/** By caller, because a user can start only some experiments. */
const judged = new WeakMap<Caller, Promise<string>>();

/** The experiment of judges that the caller has. */
async function newJudges(caller: Caller, evalId: string): Promise<string> {
  // A key without the scopes has none.
  const judges =
    judged.get(caller) ??
    newExperiment(caller, evalId).then((of) => judgeExperiment(caller, of).catch(() => 'some-id'));
  judged.set(caller, judges);
  return judges;
}

/** A ballot for a path of votes. */
export async function ballotFor(path: string, caller: Caller): Promise<string> {
  const ballot = path.replace(/votes$/, path.includes('/shared/') ? 'ballot?voter=Ada' : 'ballot');
  return (await caller.get(ballot)).body.ballot as string;
}

/** The same path with ids of what belongs to that caller. */
export async function filledPath(path: string, caller: Caller, evalId: string): Promise<string> {
  const [placeholder, things = ''] = /([\w-]+)\/\{\w+\}/.exec(path) ?? [];
  if (placeholder === undefined) return path;
  const kind = /\/(ballot|votes)$/.test(path) ? `${things} with judges` : things;
  return path.replace(placeholder, `${things}/${await idFor(kind, caller, evalId)}`);
}

async function newShare(
  caller: Caller,
  subject: string,
  more: object = {},
): Promise<{ share_id: string; token: string }> {
  return (await caller.post('/api/v1/shares', { subject, ...more })).body as { share_id: string; token: string };
}
