import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { endOnce } from './cleanup';

/** The measurements of a pinger since its last report. */
export interface Pings {
  longestMs: number;
  count: number;
}

/**
 * Requests of other users, sent in turn without a pause from a separate thread, so that work of the test does not look
 * like a wait. With several users, none reaches the rate limit.
 */
export class Pinger {
  /** Ends the thread, without which the process of the tests would not end. */
  readonly stop = endOnce(async () => {
    const exited = once(this.thread, 'exit');
    this.thread.postMessage('stop');
    await exited;
  });
  private readonly thread: Worker;

  constructor(workerData: { url: string; keys: readonly string[]; paths: readonly string[] }) {
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

  /** The longest wait over the next `count` answers. */
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
