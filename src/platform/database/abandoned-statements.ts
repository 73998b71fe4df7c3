import { Clock } from '../../common/clock';

const INTERVAL_MS = 1000;

/** The SQLSTATE of a server without any connection left. */
const FULL = /^53...$/;

/** The functions that counting abandoned statements needs. */
interface AbandonedStatementsOptions {
  /** Returns the server processes that still work on the statement abandoned `agesMs` ago, on a separate connection. */
  findWorking: (pids: readonly number[], agesMs: readonly number[]) => Promise<readonly number[]>;
  /** Called with their number, whenever it changes. */
  onChange: (count: number) => void;
}

/**
 * The server processes that still work on an abandoned statement. Postgres ends such a process only with its statement,
 * and a commit that waits for a
 * standby has no end until there is one: each retry on a new connection would leave another process behind, until the
 * server has no connection left.
 */
export class AbandonedStatements {
  /** When each process was last abandoned, on the monotonic clock. */
  private abandonedMs = new Map<number, number>();
  private isWatching = false;

  constructor(
    private readonly options: AbandonedStatementsOptions,
    private readonly clock: Pick<Clock, 'monotonicMs'> = new Clock(),
  ) {}

  /** From now on the statement of that process is one of them, until the server has done it. */
  add(pid: number): void {
    this.set(new Map([...this.abandonedMs, [pid, this.clock.monotonicMs()]]));
    if (!this.isWatching) this.lookLater();
  }

  private lookLater(): void {
    this.isWatching = this.abandonedMs.size > 0;
    // Keeps no process alive.
    if (this.isWatching)
      setTimeout(() => void this.lookAfter(this.abandonedMs).finally(() => this.lookLater()), INTERVAL_MS).unref();
  }

  private async lookAfter(looked: ReadonlyMap<number, number>): Promise<void> {
    const working = await this.look([...looked.keys()], [...looked.values()]);
    // A process that was abandoned again meanwhile stays.
    this.set(
      new Map([...this.abandonedMs].filter(([pid, sinceMs]) => looked.get(pid) !== sinceMs || working.includes(pid))),
    );
  }

  /** An unreachable server holds no connections of ours; only a full one does. */
  private async look(pids: readonly number[], sinceMs: readonly number[]): Promise<readonly number[]> {
    const nowMs = this.clock.monotonicMs();
    try {
      return await this.options.findWorking(
        pids,
        sinceMs.map((ms) => nowMs - ms),
      );
    } catch (error) {
      const { code } = error as { code?: unknown };
      return typeof code === 'string' && FULL.test(code) ? pids : [];
    }
  }

  private set(abandonedMs: Map<number, number>): void {
    const isChanged = abandonedMs.size !== this.abandonedMs.size;
    this.abandonedMs = abandonedMs;
    if (isChanged) this.options.onChange(abandonedMs.size);
  }
}
