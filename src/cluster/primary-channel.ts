import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config';
import type { LeaseRequest, RateNotice } from './rate-leases';

const CHANNEL = 'mcs:primary';
/** When the primary process is no longer expected to reply; the circuit breaker of the rate limits has let a request pass long before. */
const REQUEST_TIMEOUT_MS = 2000;

/** A request from a worker to the primary process. */
export type PrimaryRequest =
  | { type: 'metrics' }
  | LeaseRequest
  | { type: 'acquire'; leaseId: string; keyId: string; limit: number }
  | { type: 'release'; leaseId: string; keyId: string };

/** A request, or with `reply` the response to it; one without an id gets none. */
export interface PrimaryMessage {
  channel: typeof CHANNEL;
  id?: string;
  request: PrimaryRequest;
  reply?: unknown;
}

const RATE_NOTICE_CHANNEL = 'mcs:rate-notice';

/** A rate notice on its way to a worker. */
interface RateNoticeMessage extends RateNotice {
  channel: typeof RATE_NOTICE_CHANNEL;
}

/** The message that hands a rate notice to a worker. */
export function rateNoticeMessage(notice: RateNotice): RateNoticeMessage {
  return { channel: RATE_NOTICE_CHANNEL, ...notice };
}

function isRateNoticeMessage(message: unknown): message is RateNoticeMessage {
  return (message as Partial<RateNoticeMessage> | null)?.channel === RATE_NOTICE_CHANNEL;
}

const START_FAILURE_CHANNEL = 'mcs:start-failure';

/** Why a worker cannot start, for the primary process to print. */
export interface StartFailure {
  channel: typeof START_FAILURE_CHANNEL;
  reason: string;
}

/** True if a message says why a worker cannot start. */
export function isStartFailure(message: unknown): message is StartFailure {
  return (message as Partial<StartFailure> | null)?.channel === START_FAILURE_CHANNEL;
}

/** Sends why this process cannot start to its primary process; false where there is none. */
export async function reportStartFailure(reason: string): Promise<boolean> {
  return new Promise((resolve) => {
    if (!cluster.isWorker || !process.connected || process.send === undefined) resolve(false);
    else process.send({ channel: START_FAILURE_CHANNEL, reason } satisfies StartFailure, undefined, undefined, (error) => resolve(error === null));
  });
}

const STARTED_CHANNEL = 'mcs:started';

/** A worker listens and has done what its start included. */
export interface StartedMessage {
  channel: typeof STARTED_CHANNEL;
  /** The demo user's key, if this worker has just created it. */
  demoKey?: string | undefined;
}

/** True if a message says that a worker has started. */
export function isStartedMessage(message: unknown): message is StartedMessage {
  return (message as Partial<StartedMessage> | null)?.channel === STARTED_CHANNEL;
}

/** Reports to the primary process that this worker has started. */
export function reportStarted(demoKey: string | undefined): void {
  process.send?.({ channel: STARTED_CHANNEL, demoKey } satisfies StartedMessage);
}

const ALL_STARTED_CHANNEL = 'mcs:all-started';

/** The message that says that all workers have started. */
export const ALL_STARTED = { channel: ALL_STARTED_CHANNEL };

const STOP_CHANNEL = 'mcs:stop';

/** Asks a worker to stop; with `isHurried`, without serving on for DRAIN_SECONDS. */
export interface StopMessage {
  channel: typeof STOP_CHANNEL;
  isHurried: boolean;
}

/** The message that asks a worker to stop. */
export function stopMessage(isHurried: boolean): StopMessage {
  return { channel: STOP_CHANNEL, isHurried };
}

/** True if a message asks this worker to stop. */
export function isStopMessage(message: unknown): message is StopMessage {
  return (message as Partial<StopMessage> | null)?.channel === STOP_CHANNEL;
}

/** True if a message belongs to this channel; other packages use the same IPC. */
export function isPrimaryMessage(message: unknown): message is PrimaryMessage {
  return (message as Partial<PrimaryMessage> | null)?.channel === CHANNEL;
}

/** The channel from a worker to the primary process; open only with WEB_CONCURRENCY above 1. */
export class PrimaryChannel {
  readonly isOpen: boolean;
  private areAllStarted = false;
  private readonly pending = new Map<string, (reply: unknown) => void>();

  constructor({ WEB_CONCURRENCY }: Config) {
    this.isOpen = cluster.isWorker && WEB_CONCURRENCY > 1;
    if (this.isOpen) process.on('message', (message) => this.receive(message));
  }

  /** True until all workers of this start listen. */
  get isStarting(): boolean {
    return this.isOpen && !this.areAllStarted;
  }

  private receive(message: unknown): void {
    if ((message as Partial<typeof ALL_STARTED> | null)?.channel === ALL_STARTED_CHANNEL) this.areAllStarted = true;
    if (isPrimaryMessage(message)) this.pending.get(message.id ?? '')?.(message.reply);
  }

  /** Sends what needs no reply, and waits for nothing. */
  send(request: PrimaryRequest): void {
    // If a message cannot be sent, its receiver is gone.
    process.send?.({ channel: CHANNEL, request } satisfies PrimaryMessage, undefined, undefined, () => undefined);
  }

  /** Calls the listener with every rate notice of the primary process. */
  onRateNotice(listener: (notice: RateNotice) => void): void {
    if (this.isOpen) process.on('message', (message) => { if (isRateNoticeMessage(message)) listener(message); });
  }

  /** Sends a request and waits for the reply; requests are sent in order. @throws Error when no reply comes in time */
  async request(request: PrimaryRequest, timeoutMs = REQUEST_TIMEOUT_MS): Promise<unknown> {
    const id = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.pending.set(id, resolve);
        timer = setTimeout(() => reject(new Error('The primary process does not reply.')), timeoutMs);
        process.send?.({ channel: CHANNEL, id, request } satisfies PrimaryMessage, undefined, undefined, (error) => { if (error !== null) reject(error); });
      });
    } finally {
      clearTimeout(timer);
      this.pending.delete(id);
    }
  }
}
