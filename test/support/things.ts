import { onDatabase } from './database';
import type { Caller } from './factories';
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
    shared: async () => (await newShare(caller, evalId)).url.split('/').at(-1) ?? '',
  };
  return (await ids[things]?.()) ?? 'some-id';
}

/** An experiment with the prompt of an eval as its only row, in which its models differ. */
async function newExperiment(caller: Caller, evalId: string): Promise<string> {
  const input = ((await caller.get(`/api/v1/evals/${evalId}`)).body as { prompt?: string }).prompt ?? 'none';
  const dataset = (await caller.post('/api/v1/datasets', { rows: [{ input }] })).body.dataset_id as string;
  const id = (
    await caller.post('/api/v1/experiments', {
      dataset,
      prompt: '{input} [[sim-quill:say=no]]',
      models: ['sim-swift', 'sim-quill'],
      checks: [{ type: 'equals', value: 'no' }],
      max_cost_usd: 1,
    })
  ).body.experiment_id as string;
  await caller.get(`/api/v1/experiments/${id}`, { headers: { prefer: 'wait=20' } });
  return id;
}

/** The same path with ids of what belongs to that caller. */
export async function filledPath(path: string, caller: Caller, evalId: string): Promise<string> {
  const [placeholder, things = ''] = /([\w-]+)\/\{\w+\}/.exec(path) ?? [];
  return placeholder === undefined
    ? path
    : path.replace(placeholder, `${things}/${await idFor(things, caller, evalId)}`);
}

async function newShare(caller: Caller, evalId: string): Promise<{ share_id: string; url: string }> {
  return (await caller.post('/api/v1/shares', { subject: evalId })).body as { share_id: string; url: string };
}
