import type { Answer, Api, Json } from './api';
import { eventually } from './factories';

/** The experiment when it does not run any more. */
export async function endedExperiment(caller: Api, id: string): Promise<Json> {
  let experiment: Json;
  await eventually('it does not run', async () => {
    // A waiting request may be one too many for its key.
    const { status, body } = await caller.get(`/api/v1/experiments/${id}`, { headers: { prefer: 'wait=20' } });
    experiment = body;
    return status !== 429 && experiment.state !== 'running';
  });
  return experiment;
}

/** Starts an experiment as soon as fewer than three of the user run. */
export async function startedExperiment(caller: Api, body: object): Promise<Answer<Json>> {
  let answer = await caller.post('/api/v1/experiments', body);
  await eventually('an experiment may start', async () => {
    if (answer.status === 429) answer = await caller.post('/api/v1/experiments', body);
    return answer.status !== 429;
  });
  return answer;
}
