import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import type { Config } from '../common/config';

const CHANNEL = 'mcs:primary';

/** What a worker may ask of the primary process. */
export type PrimaryRequest =
  | { about: 'metrics-of-all' }
  | { about: 'enter'; placeId: string; keyId: string; limit: number }
  | { about: 'leave'; placeId: string; keyId: string };

/** A question on its way, or with `answer` on its way back. */
export interface PrimaryMessage {
  channel: typeof CHANNEL;
  id: string;
  question: PrimaryRequest;
  answer?: unknown;
}

const START_FAILURE_CHANNEL = 'mcs:last-words';

/** What a worker that cannot start leaves to the primary process to say. */
export interface StartFailure {
  channel: typeof START_FAILURE_CHANNEL;
  words: string;
}

/** Whether that message holds the last words of a worker. */
export function isStartFailure(message: unknown): message is StartFailure {
  return (message as Partial<StartFailure> | null)?.channel === START_FAILURE_CHANNEL;
}

/** Sends why this process cannot start to its primary process; false where there is none. */
export async function reportStartFailure(words: string): Promise<boolean> {
  return new Promise((resolve) => {
    if (!cluster.isWorker || !process.connected || process.send === undefined) resolve(false);
    else process.send({ channel: START_FAILURE_CHANNEL, words } satisfies StartFailure, undefined, undefined, (error) => resolve(error === null));
  });
}

const STOP_CHANNEL = 'mcs:stop';

/** What the primary process tells its workers: to stop, and with `isHurried` without serving on until then. */
export interface StopMessage {
  channel: typeof STOP_CHANNEL;
  isHurried: boolean;
}

/** The message that asks a worker to stop. */
export function stopMessage(isHurried: boolean): StopMessage {
  return { channel: STOP_CHANNEL, isHurried };
}

/** Whether that message asks this worker to stop. */
export function isStopMessage(message: unknown): message is StopMessage {
  return (message as Partial<StopMessage> | null)?.channel === STOP_CHANNEL;
}

/** Whether that message is one of ours; other packages talk on the same line. */
export function isPrimaryMessage(message: unknown): message is PrimaryMessage {
  return (message as Partial<PrimaryMessage> | null)?.channel === CHANNEL;
}

/** The line from a worker to the primary process; only with WEB_CONCURRENCY above 1 is anybody at the other end. */
export class PrimaryChannel {
  readonly isOpen: boolean;
  private readonly pending = new Map<string, (answer: unknown) => void>();

  constructor({ WEB_CONCURRENCY }: Config) {
    this.isOpen = cluster.isWorker && WEB_CONCURRENCY > 1;
    if (this.isOpen) process.on('message', (message) => { if (isPrimaryMessage(message)) this.pending.get(message.id)?.(message.answer); });
  }

  /** Sends the question in any case, in the order in which they are asked. @throws Error when no answer comes in time */
  async request(question: PrimaryRequest, patienceMs: number): Promise<unknown> {
    const id = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.pending.set(id, resolve);
        timer = setTimeout(() => reject(new Error('The primary process does not answer.')), patienceMs);
        process.send?.({ channel: CHANNEL, id, question } satisfies PrimaryMessage, undefined, undefined, (error) => { if (error !== null) reject(error); });
      });
    } finally {
      clearTimeout(timer);
      this.pending.delete(id);
    }
  }
}
