import cluster from 'node:cluster';
import { on } from 'node:events';

/** A message between the primary process and a worker. */
export type ClusterMessage =
  /** Why a worker cannot start, for the primary process to print. */
  | { mcs: 'start-failure'; reason: string }
  /** A worker listens. `demoKey` is the demo user's key if this worker has just created it. */
  | { mcs: 'started'; demoKey?: string | undefined }
  | { mcs: 'all-started' }
  /** Asks a worker to stop; with `isHurried`, without serving on for DRAIN_SECONDS. */
  | { mcs: 'stop'; isHurried: boolean }
  /** Asks a worker to read MODEL_CATALOG_FILE again. */
  | { mcs: 'reload' }
  /** Asks the primary process for the metrics of all workers. */
  | { mcs: 'metrics-request' }
  /** The metrics of all workers; undefined if one did not respond. */
  | { mcs: 'metrics'; text: string | undefined };

/** The message, or undefined if it is not one of ours; other packages use the same channel. */
export function clusterMessage(message: unknown): ClusterMessage | undefined {
  return typeof message === 'object' && message !== null && 'mcs' in message ? (message as ClusterMessage) : undefined;
}

/** Sends a message to the primary process. False if there is none. */
export async function sendToPrimary(message: ClusterMessage): Promise<boolean> {
  return new Promise((resolve) => {
    if (!cluster.isWorker || !process.connected || process.send === undefined) resolve(false);
    else process.send(message, undefined, undefined, (error) => resolve(error === null));
  });
}

/** The channel from a worker to its primary process; closed in a process that serves alone. */
export class PrimaryChannel {
  readonly isOpen = cluster.isWorker;
  private areAllStarted = false;
  private metrics: Promise<string> | undefined;

  constructor() {
    if (this.isOpen)
      process.on('message', (message) => {
        if (clusterMessage(message)?.mcs === 'all-started') this.areAllStarted = true;
      });
  }

  /** True until all workers of this start listen. */
  get isStarting(): boolean {
    return this.isOpen && !this.areAllStarted;
  }

  /**
   * The metrics of all workers; requests at the same time share one reply. @throws Error if a worker does not respond
   * within `timeoutMs`
   */
  async metricsOfAll(timeoutMs: number): Promise<string> {
    this.metrics ??= requestMetrics(timeoutMs).finally(() => {
      this.metrics = undefined;
    });
    return this.metrics;
  }
}

async function requestMetrics(timeoutMs: number): Promise<string> {
  const messages = on(process, 'message', { signal: AbortSignal.timeout(timeoutMs) });
  void sendToPrimary({ mcs: 'metrics-request' });
  for await (const [message] of messages as AsyncIterable<[unknown]>) {
    const reply = clusterMessage(message);
    if (reply?.mcs === 'metrics' && reply.text !== undefined) return reply.text;
    if (reply?.mcs === 'metrics') break;
  }
  throw new Error('A worker does not respond.');
}
