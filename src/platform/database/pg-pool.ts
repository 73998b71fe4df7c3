import { setTimeout as delay } from 'node:timers/promises';
import { Pool, type Client, type PoolClient, type PoolConfig } from 'pg';
import { Clock } from '../../common/clock';
import { AbandonedStatements } from './abandoned-statements';
import { isDatabaseUnavailable, NO_CONNECTION } from '../../common/is-database-unavailable';
import { PgClient, type PgClientOptions } from './pg-client';
import { Turns } from './turns';
import { currentUrgency } from './urgency';

const PROBE_INTERVAL_MS = 100;
/** How long a database that had no connection left is not asked for one more. */
const FULL_MS = 1000;
/** SQLSTATE too_many_connections. */
const FULL = '53300';

/**
 * Only statements that began before they were abandoned: behind a pooler the process may work for another client by
 * now, after a failover it may be another process.
 */
const WORKING = `select a.pid from unnest($1::int[], $2::float8[]) given (pid, age_ms) join pg_stat_activity a on a.pid = given.pid
  where a.usename = current_user and a.state <> 'idle' and a.query_start <= clock_timestamp() - given.age_ms * interval '1 millisecond'`;

/** How long a read waits for a connection of a pool that is full, in milliseconds. */
const MAX_BRIEF_WAIT_MS = 1000;

type OnConnect = (error: Error | undefined, client: PoolClient | undefined, release: (error?: unknown) => void) => void;

/**
 * The connections of this process. While the database is unreachable, up to `connectionTimeoutMillis` from the first
 * refusal on, requests for a connection wait for its return;
 * one connection is tried meanwhile, not one for each waiting request. An outage that lasts longer refuses at once.
 * A connection that was abandoned in the middle of a statement counts as one of `max` until the server has finished the
 * statement.
 * pg's own pool refuses at the first failed connection (https://github.com/brianc/node-postgres/issues/1789).
 * While the database has no connection left, a process shares its existing connections, as if `max` were their number,
 * and tries one more every second.
 * Work that is not urgent takes turns on all connections but `reserved` of them, and reads are refused when their turn
 * does not come soon.
 * A pooler keeps connections open while it has no server: from its first complaint on, a connection is tried before it
 * is used, until one reaches the server.
 */
export class PgPool extends Pool {
  private readonly timeoutMs: number;
  private readonly max: number;
  private readonly abandoned = new AbandonedStatements({
    findWorking: (pids, agesMs) => this.findWorking(pids, agesMs),
    onChange: (count) => this.setAside(count),
  });
  /** First and last refusal of this outage, on the monotonic clock. */
  private outage: { sinceMs: number; seenMs: number } | undefined;
  private probe: Promise<void> | undefined;
  /** Requests that wait for the end of an outage. */
  private deferred = 0;
  /** Connections that were given up and still work. */
  private aside = 0;
  /** How many connections the database lets this process have, as far as it knows. */
  private available = Infinity;
  /** The number of open connections. */
  private established = 0;
  private growth: NodeJS.Timeout | undefined;
  private isInDoubt = false;
  /** Bounds the connections in use; the pool's own bound is fixed. */
  private readonly gate = new Turns(() => this.size);
  private readonly turns = new Turns(() => this.size - Math.min(this.reserved, Math.floor(this.size / 2)));
  private readonly used = new Set<PoolClient>();
  /** The connections of those whose turn it is. */
  private readonly shared = new Set<PoolClient>();
  private readonly reserved: number;

  constructor(
    { reserved = 0, ...options }: PoolConfig & PgClientOptions & { reserved?: number },
    private readonly clock: Pick<Clock, 'monotonicMs'> = new Clock(),
  ) {
    super({
      ...options,
      Client: PgClient,
      onAbandoned: (pid: number) => this.abandoned.add(pid),
      onPoolerAway: () => {
        this.isInDoubt = true;
      },
      onConnect: (client: PgClient) => client.identify(),
    } as object);
    this.reserved = reserved;
    this.timeoutMs = options.connectionTimeoutMillis ?? 0;
    this.max = this.options.max;
    // Errors of idle connections need a listener; the pool has already dropped these connections.
    this.on('error', () => undefined);
    this.on('connect', (client) => {
      client.on('error', () => undefined);
      if (!this.isInDoubt) this.outage = undefined;
      this.established += 1;
      this.available = Infinity;
      this.resize();
    });
    this.on('remove', () => {
      this.established -= 1;
    });
    // Later, when the connection is free: the next one would make another.
    this.on('release', (_, client) => {
      if (this.used.delete(client)) queueMicrotask(() => this.gate.end());
      if (this.shared.delete(client)) queueMicrotask(() => this.turns.end());
    });
  }

  /** Requests that wait for a connection: for one of the pool to be free, or for the database to return. */
  get waiting(): number {
    return this.waitingCount + this.gate.waiting + this.deferred + this.turns.waiting;
  }

  override connect(): Promise<PoolClient>;
  override connect(onConnect: OnConnect): void;
  override connect(onConnect?: OnConnect): Promise<PoolClient> | void {
    if (onConnect === undefined) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) =>
          client === undefined ? reject(error ?? new Error('No connection.')) : resolve(client),
        );
      });
    }
    if (currentUrgency() === 'urgent') this.connectOrWait(onConnect);
    else
      this.connectInTurn(
        onConnect,
        currentUrgency() === 'brief' ? Math.min(this.timeoutMs, MAX_BRIEF_WAIT_MS) : this.timeoutMs,
      );
  }

  private connectInTurn(onConnect: OnConnect, waitMs: number): void {
    let isOver = false;
    let leave: () => void = () => undefined;
    const end: OnConnect = (error, client, release) => {
      if (isOver) return client?.release();
      isOver = true;
      clearInterval(timer);
      leave();
      onConnect(error, client, release);
    };
    // Not while it waits for the database to return, which takes as long as it takes for everybody.
    const refuse = () => {
      if (this.probe === undefined && this.waiting > 0) end(new Error(NO_CONNECTION), undefined, () => undefined);
    };
    const timer = waitMs > 0 ? setInterval(refuse, waitMs) : undefined;
    leave = this.turns.take(() =>
      this.connectOrWait((error, client, release) => {
        if (client === undefined) queueMicrotask(() => this.turns.end());
        else this.shared.add(client);
        end(error, client, release);
      }),
    );
  }

  private connectOrWait(onConnect: OnConnect): void {
    const begunMs = this.clock.monotonicMs();
    this.connectOnce((error, client, release) => {
      if (error !== undefined && this.mayPass(error, begunMs)) this.connectLater(onConnect, error, begunMs);
      else onConnect(error, client, release);
    });
  }

  /** How many connections may be in use now. */
  private get size(): number {
    return Math.max(0, Math.min(this.max - this.aside, this.available));
  }

  private resize(): void {
    this.gate.next();
    this.turns.next();
  }

  /** Reduces the pool by `count` connections. */
  private setAside(count: number): void {
    this.aside = count;
    this.resize();
  }

  private async findWorking(pids: readonly number[], agesMs: readonly number[]): Promise<number[]> {
    const client: Client = new PgClient(this.options);
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<{ pid: number }>(WORKING, [pids, agesMs])).rows.map(({ pid }) => pid);
    } finally {
      await client.end();
    }
  }

  /** Waits for one of the connections that there are if the database has none left. */
  private connectOnce(onConnect: OnConnect): void {
    this.connectForSure((error, client, release) => {
      if (error !== undefined && this.isAsLargeAsCanBe(error)) this.connectForSure(onConnect);
      else onConnect(error, client, release);
    });
  }

  private connectForSure(onConnect: OnConnect): void {
    this.checkOut((error, client, release) => {
      if (client === undefined || !this.isInDoubt) return onConnect(error, client, release);
      client.query('select 1').then(
        () => {
          this.isInDoubt = false;
          this.outage = undefined;
          onConnect(undefined, client, release);
        },
        (refusal: Error) => {
          release(refusal);
          onConnect(refusal, undefined, () => undefined);
        },
      );
    });
  }

  /** Takes a connection when fewer than `size` are in use, and fails if that takes too long. */
  private checkOut(onConnect: OnConnect): void {
    const refuse = () => {
      leave();
      onConnect(new Error(NO_CONNECTION), undefined, () => undefined);
    };
    const timer = this.timeoutMs > 0 ? setTimeout(refuse, this.timeoutMs) : undefined;
    const leave = this.gate.take(() => {
      clearTimeout(timer);
      super.connect((error, client, release) => {
        if (client === undefined) queueMicrotask(() => this.gate.end());
        else this.used.add(client);
        onConnect(error, client, release);
      });
    });
  }

  /**
   * True if the database has no connection left beyond those of this process, which are from now on all that it shares.
   */
  private isAsLargeAsCanBe(error: Error): boolean {
    // A request without a deadline could wait forever for a connection that the same work holds.
    if ((error as { code?: unknown }).code !== FULL || this.established === 0 || this.timeoutMs === 0) return false;
    this.available = this.established;
    this.resize();
    clearTimeout(this.growth);
    this.growth = setTimeout(() => {
      this.available = this.established + 1;
      this.resize();
    }, FULL_MS).unref();
    return true;
  }

  /** True if waiting for the end of the cause of a refused connection is worthwhile. */
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
    const timer = setTimeout(
      () => end(refusal, undefined, () => undefined),
      this.timeoutMs - (this.clock.monotonicMs() - begunMs),
    );
    const again = () => {
      if (isOver) return;
      this.connectOnce((error, client, release) => {
        if (error !== undefined && this.mayPass(error, begunMs)) void this.databaseReturns().then(again);
        else end(error, client, release);
      });
    };
    void this.databaseReturns().then(again);
  }

  /** Done when the database answers again, or when it is no longer waited for. */
  private async databaseReturns(): Promise<void> {
    this.probe ??= this.probeUntilReached().finally(() => {
      this.probe = undefined;
    });
    this.deferred += 1;
    await this.probe;
    this.deferred -= 1;
  }

  private async probeUntilReached(): Promise<void> {
    const begunMs = this.clock.monotonicMs();
    do await delay(PROBE_INTERVAL_MS);
    while (await this.isUnreachable(begunMs));
  }

  private isUnreachable(begunMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      this.connectForSure((error, client) => {
        client?.release();
        resolve(error !== undefined && this.mayPass(error, begunMs));
      });
    });
  }
}
