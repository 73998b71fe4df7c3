import type { Answer, CallOptions, Json } from './api';
import { onDatabase } from './database';
import { eventually, type Caller } from './factories';

/** POST /compare for a run in the background. */
export function queue(caller: Caller, body: object, { headers, ...options }: CallOptions = {}): Promise<Answer<Json>> {
  return caller.compare(body, { ...options, headers: { prefer: 'respond-async', ...headers } });
}

/** The run with that id. */
export async function runOf(caller: Caller, runId: string): Promise<Json> {
  return (await caller.get(`/api/v1/runs/${runId}`)).body;
}

/** The run when it has ended, or has that status. */
export async function ended(caller: Caller, runId: string, status?: string): Promise<Json> {
  let run: Json;
  await eventually(`${runId} is ${status ?? 'over'}`, async () => {
    run = await runOf(caller, runId);
    return status === undefined ? run.finished_at !== undefined : run.status === status;
  });
  return run;
}

/** Stored rows of the table runs. */
export function runRows(databaseUrl: string, userId: string): Promise<Json[]> {
  return onDatabase(
    databaseUrl,
    async (client) => (await client.query<Json>('select * from runs where user_id = $1 order by id', [userId])).rows,
  );
}
