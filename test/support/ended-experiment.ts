import type { Json } from './api';
import { eventually, type Caller } from './factories';

/** The experiment when it does not run any more. */
export async function endedExperiment(caller: Caller, id: string): Promise<Json> {
  let experiment: Json;
  await eventually('it does not run', async () => {
    experiment = (await caller.get(`/api/v1/experiments/${id}`, { headers: { prefer: 'wait=20' } })).body;
    return experiment.state !== 'running';
  });
  return experiment;
}
