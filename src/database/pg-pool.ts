import { setTimeout as delay } from 'node:timers/promises';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { Clock } from '../common/clock';
import { isDatabaseUnavailable } from './is-database-unavailable';
import { PgClient, type PgClientOptions } from './pg-client';

const PROBE_INTERVAL_MS = 100;

type Lent = (error: Error | undefined, client: PoolClient | undefined, release: (error?: unknown) => void) => void;

/**
 * The connections of this process. While the database is away, up to `connectionTimeoutMillis` from the first refusal on, whoever asks for a connection waits for its return;
 * one connection is tried meanwhile, not one for each that waits. An outage that lasts longer refuses at once.
 */
export class PgPool extends Pool {
  private readonly patienceMs: number;
  /** First and last refusal of this outage, on the monotonic clock. */
  private outage: { sinceMs: number; seenMs: number } | undefined;
  private probe: Promise<void> | undefined;

  constructor(options: PoolConfig & PgClientOptions, private readonly clock: Pick<Clock, 'monotonicMs'> = new Clock()) {
    super({ ...options, Client: PgClient });
    this.patienceMs = options.connectionTimeoutMillis ?? 0;
    // Somebody always has to listen for what happens to connections that nobody uses; the pool has dropped them already.
    this.on('error', () => undefined);
    this.on('connect', (client) => {
      client.on('error', () => undefined);
      this.outage = undefined;
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(lent: Lent): void;
  override connect(lent?: Lent): Promise<PoolClient> | void {
    if (lent === undefined) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => (client === undefined ? reject(error ?? new Error('No connection.')) : resolve(client)));
      });
    }
    const begunMs = this.clock.monotonicMs();
    super.connect((error, client, release) => {
      if (error !== undefined && this.mayPass(error, begunMs)) this.lendLater(lent, error, begunMs);
      else lent(error, client, release);
    });
  }

  /** Whether it is worth waiting for the end of what refused a connection to somebody who waits since then. */
  private mayPass(error: Error, begunMs: number): boolean {
    const now = this.clock.monotonicMs();
    if (this.ending || now - begunMs >= this.patienceMs || !isDatabaseUnavailable(error)) return false;
    const isNew = this.outage === undefined || now - this.outage.seenMs >= this.patienceMs;
    this.outage = { sinceMs: isNew || this.outage === undefined ? now : this.outage.sinceMs, seenMs: now };
    return now - this.outage.sinceMs < this.patienceMs;
  }

  private lendLater(lent: Lent, refusal: Error, begunMs: number): void {
    let isOver = false;
    const end: Lent = (error, client, release) => {
      if (isOver) return release();
      isOver = true;
      clearTimeout(timer);
      lent(error, client, release);
    };
    const timer = setTimeout(() => end(refusal, undefined, () => undefined), this.patienceMs - (this.clock.monotonicMs() - begunMs));
    const again = () => {
      if (isOver) return;
      super.connect((error, client, release) => {
        if (error !== undefined && this.mayPass(error, begunMs)) void this.comesBack().then(again);
        else end(error, client, release);
      });
    };
    void this.comesBack().then(again);
  }

  /** Done when the database answers again, or when it is no longer waited for. */
  private comesBack(): Promise<void> {
    this.probe ??= this.probing().finally(() => { this.probe = undefined; });
    return this.probe;
  }

  private async probing(): Promise<void> {
    const begunMs = this.clock.monotonicMs();
    do await delay(PROBE_INTERVAL_MS);
    while (await this.isAway(begunMs));
  }

  private async isAway(begunMs: number): Promise<boolean> {
    try {
      (await super.connect()).release();
      return false;
    } catch (error) {
      return this.mayPass(error as Error, begunMs);
    }
  }
}
