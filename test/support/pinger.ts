import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { endOnce } from './cleanup';

/** What a pinger has seen since it was last asked. */
export interface Pings {
  longestMs: number;
  count: number;
}

/** Somebody else's requests, sent without a pause from a thread of their own, so that work of the test does not look like a wait. */
export class Pinger {
  /** Ends the thread, without which the process of the tests would not end. */
  readonly stop = endOnce(async () => {
    const exited = once(this.thread, 'exit');
    this.thread.postMessage('stop');
    await exited;
  });
  private readonly thread: Worker;

  constructor(workerData: { url: string; key: string; paths: readonly string[] }) {
    this.thread = new Worker(join(__dirname, 'pinger.thread.cjs'), { workerData });
  }

  /** The longest wait since the last call, and how many answers there were. @throws Error when one was not good */
  async take(): Promise<Pings> {
    const answered = once(this.thread, 'message') as Promise<[Pings & { failure?: string }]>;
    this.thread.postMessage('take');
    const [{ failure, ...pings }] = await answered;
    if (failure !== undefined) throw new Error(`A ping failed: ${failure}`);
    return pings;
  }

  /** The longest wait over so many answers from now on. */
  async over(count: number): Promise<number> {
    await this.take();
    let [seen, longestMs] = [0, 0];
    while (seen < count) {
      const pings = await this.take();
      seen += pings.count;
      longestMs = Math.max(longestMs, pings.longestMs);
    }
    return longestMs;
  }

  /** The longest wait while this work is done. */
  async during(work: () => Promise<unknown>): Promise<number> {
    await this.take();
    await work();
    // An answer that is still awaited counts too.
    const { longestMs } = await this.take();
    return Math.max(longestMs, await this.over(2));
  }
}
