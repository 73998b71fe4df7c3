import { Pool, type Client, type PoolClient, type PoolConfig } from 'pg';
import { Clock } from '../../common/clock';
import { NO_CONNECTION } from '../../common/is-database-unavailable';
import { AbandonedStatements } from './abandoned-statements';
import { Capacity } from './capacity';
import { unlessRefused, type Connect } from './connect';
import { Doubt } from './doubt';
import { Outage } from './outage';
import { PgClient, type PgClientOptions } from './pg-client';
import { Turns } from './turns';
import { currentUrgency } from './urgency';

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
 * The connections of this process. Each state of the database has its layer:
 *
 * | State             | Begins with                    | A request                                    | Ends with           |
 * | ----------------- | ------------------------------ | -------------------------------------------- | ------------------- |
 * | open              |                                | takes a free connection, or makes one        |                     |
 * | full (Capacity)   | "no connection left"           | shares those there are; one more each second | a new connection    |
 * | away (Outage)     | a refusal                      | waits; one connection is tried for all       | a connection        |
 * | in doubt (Doubt)  | the complaint of a pooler      | tries its connection before use              | an answer           |
 *
 * pg's own pool refuses at the first failed connection (https://github.com/brianc/node-postgres/issues/1789).
 * Work that is not urgent takes turns on all connections but `reserved` of them, and reads are refused when their turn
 * does not come soon. A connection that was abandoned in the middle of a statement counts as one of `max` until the
 * server has finished the statement.
 */
export class PgPool extends Pool {
  private readonly timeoutMs: number;
  private readonly reserved: number;
  private readonly abandoned = new AbandonedStatements({
    findWorking: (pids, agesMs) => this.findWorking(pids, agesMs),
    onChange: (count) => this.capacity.setAside(count),
  });
  private readonly capacity: Capacity;
  private readonly outage: Outage;
  private readonly doubt = new Doubt(() => this.outage.end());
  /** Bounds the connections in use; the pool's own bound is fixed. */
  private readonly places = new Turns(() => this.capacity.size);
  /** Bounds the connections of work that is not urgent. */
  private readonly turns = new Turns(
    () => this.capacity.size - Math.min(this.reserved, Math.floor(this.capacity.size / 2)),
  );
  private readonly connectUrgently: Connect;

  constructor(
    { reserved = 0, ...options }: PoolConfig & PgClientOptions & { reserved?: number },
    clock: Pick<Clock, 'monotonicMs'> = new Clock(),
  ) {
    super({
      ...options,
      Client: PgClient,
      onAbandoned: (pid: number) => this.abandoned.add(pid),
      onPoolerAway: () => {
        this.doubt.isRaised = true;
      },
      onConnect: (client: PgClient) => client.identify(),
    } as object);
    this.reserved = reserved;
    this.timeoutMs = options.connectionTimeoutMillis ?? 0;
    const { timeoutMs } = this;
    const connectTried = this.doubt.tried(() => this.checkOut());
    this.outage = new Outage({ timeoutMs, probe: connectTried, isEnding: () => this.ending }, clock);
    this.capacity = new Capacity({ max: this.options.max, mayWait: timeoutMs > 0, onChange: () => this.resize() });
    this.connectUrgently = this.outage.waitedOut(this.capacity.shared(connectTried));
    this.follow();
  }

  /** Requests that wait for a connection: for one of the pool to be free, or for the database to return. */
  get waiting(): number {
    return this.waitingCount + this.places.waiting + this.outage.waiting + this.turns.waiting;
  }

  override connect(): Promise<PoolClient>;
  override connect(onConnect: OnConnect): void;
  override connect(onConnect?: OnConnect): Promise<PoolClient> | void {
    const connecting = this.connectAsUrged();
    if (onConnect === undefined) return connecting;
    connecting.then(
      (client) => onConnect(undefined, client, (error) => client.release(error as Error)),
      (error: Error) => onConnect(error, undefined, () => undefined),
    );
  }

  private connectAsUrged(): Promise<PoolClient> {
    const urgency = currentUrgency();
    if (urgency === 'urgent') return this.connectUrgently();
    return this.connectInTurn(urgency === 'brief' ? Math.min(this.timeoutMs, MAX_BRIEF_WAIT_MS) : this.timeoutMs);
  }

  private connectInTurn(waitMs: number): Promise<PoolClient> {
    const turn = Promise.withResolvers<void>();
    const leave = this.turns.take(turn.resolve);
    const late = Promise.withResolvers<never>();
    // Not while it waits for the database to return, which takes as long as it takes for everybody.
    const refuse = () => {
      if (this.outage.isAwaited || this.waiting === 0) return;
      leave();
      late.reject(new Error(NO_CONNECTION));
    };
    const timer = waitMs > 0 ? setInterval(refuse, waitMs) : undefined;
    const connecting = turn.promise.then(() => this.turns.hold(this.connectUrgently));
    return unlessRefused(connecting, late.promise).finally(() => clearInterval(timer));
  }

  /** Takes a connection when fewer than the capacity are in use, and fails if that takes too long. */
  private async checkOut(): Promise<PoolClient> {
    await this.places.begin(this.timeoutMs);
    return this.places.hold(() => super.connect());
  }

  private follow(): void {
    // Errors of idle connections need a listener; the pool has already dropped these connections.
    this.on('error', () => undefined);
    this.on('connect', (client) => {
      client.on('error', () => undefined);
      if (!this.doubt.isRaised) this.outage.end();
      this.capacity.opened();
    });
    this.on('remove', () => this.capacity.closed());
    this.on('release', (_, client) => {
      this.places.release(client);
      this.turns.release(client);
    });
  }

  private resize(): void {
    this.places.next();
    this.turns.next();
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
}
