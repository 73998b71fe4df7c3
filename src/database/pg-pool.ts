import { setTimeout as delay } from 'node:timers/promises';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { Clock } from '../common/clock';
import { isDatabaseUnavailable } from './is-database-unavailable';
import { PgClient, type PgClientOptions } from './pg-client';

const PROBE_INTERVAL_MS = 100;

type OnConnect = (error: Error | undefined, client: PoolClient | undefined, release: (error?: unknown) => void) => void;

/**
 * The connections of this process. While the database is unreachable, up to `connectionTimeoutMillis` from the first refusal on, whoever asks for a connection waits for its return;
 * one connection is tried meanwhile, not one for each that waits. An outage that lasts longer refuses at once.
 * pg's own pool refuses at the first failed connection (https://github.com/brianc/node-postgres/issues/1789).
 */
export class PgPool extends Pool {
  private readonly timeoutMs: number;
  /** First and last refusal of this outage, on the monotonic clock. */
  private outage: { sinceMs: number; seenMs: number } | undefined;
  private probe: Promise<void> | undefined;

  constructor(options: PoolConfig & PgClientOptions, private readonly clock: Pick<Clock, 'monotonicMs'> = new Clock()) {
    super({ ...options, Client: PgClient });
    this.timeoutMs = options.connectionTimeoutMillis ?? 0;
    // Somebody always has to listen for what happens to connections that nobody uses; the pool has dropped them already.
    this.on('error', () => undefined);
    this.on('connect', (client) => {
      client.on('error', () => undefined);
      this.outage = undefined;
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(onConnect: OnConnect): void;
  override connect(onConnect?: OnConnect): Promise<PoolClient> | void {
    if (onConnect === undefined) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => (client === undefined ? reject(error ?? new Error('No connection.')) : resolve(client)));
      });
    }
    const begunMs = this.clock.monotonicMs();
    super.connect((error, client, release) => {
      if (error !== undefined && this.mayPass(error, begunMs)) this.connectLater(onConnect, error, begunMs);
      else onConnect(error, client, release);
    });
  }

  /** Whether it is worth waiting for the end of what refused a connection to somebody who waits since then. */
  private mayPass(error: Error, begunMs: number): boolean {
    const now = this.clock.monotonicMs();
    if (this.ending || now - begunMs >= this.timeoutMs || !isDatabaseUnavailable(error)) return false;
    const isNew = this.outage === undefined || now - this.outage.seenMs >= this.timeoutMs;
    this.outage = { sinceMs: isNew || this.outage === undefined ? now : this.outage.sinceMs, seenMs: now };
    return now - this.outage.sinceMs < this.timeoutMs;
  }

  private connectLater(onConnect: OnConnect, refusal: Error, begunMs: number): void {
    let isOver = false;
    const end: OnConnect = (error, client, release) => {
      if (isOver) return release();
      isOver = true;
      clearTimeout(timer);
      onConnect(error, client, release);
    };
    const timer = setTimeout(() => end(refusal, undefined, () => undefined), this.timeoutMs - (this.clock.monotonicMs() - begunMs));
    const again = () => {
      if (isOver) return;
      super.connect((error, client, release) => {
        if (error !== undefined && this.mayPass(error, begunMs)) void this.databaseReturns().then(again);
        else end(error, client, release);
      });
    };
    void this.databaseReturns().then(again);
  }

  /** Done when the database answers again, or when it is no longer waited for. */
  private databaseReturns(): Promise<void> {
    this.probe ??= this.probeUntilReached().finally(() => { this.probe = undefined; });
    return this.probe;
  }

  private async probeUntilReached(): Promise<void> {
    const begunMs = this.clock.monotonicMs();
    do await delay(PROBE_INTERVAL_MS);
    while (await this.isUnreachable(begunMs));
  }

  private async isUnreachable(begunMs: number): Promise<boolean> {
    try {
      (await super.connect()).release();
      return false;
    } catch (error) {
      return this.mayPass(error as Error, begunMs);
    }
  }
}
