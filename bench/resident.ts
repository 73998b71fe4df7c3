import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProgram } from './processes';

const SAMPLE_MS = 100;

/** Resident memory of a server in MiB before something is done and at the most meanwhile. */
export async function rssOf<T>(server: ServerProgram, run: () => Promise<T>): Promise<{ before: number; peak: number; result: T }> {
  const before = server.rssMib();
  let peak = before;
  let isDone = false;
  const watching = (async () => {
    for (; !isDone; await sleep(SAMPLE_MS)) peak = Math.max(peak, server.rssMib());
  })();
  const result = await run().finally(() => { isDone = true; });
  await watching;
  return { before, peak, result };
}
