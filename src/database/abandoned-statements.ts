const INTERVAL_MS = 1000;

/** The SQLSTATE of a server without any connection left. */
const FULL = /^53...$/;

/** The functions that counting abandoned statements needs. */
interface AbandonedStatementsOptions {
  /** Returns the server processes that still work for us, on a separate connection. */
  findWorking: (pids: readonly number[]) => Promise<readonly number[]>;
  /** Called with their number, whenever it changes. */
  onChange: (count: number) => void;
}

/**
 * The server processes that still work on an abandoned statement. Postgres ends such a process only with its statement, and a commit that waits for a
 * standby has no end until there is one: each retry on a new connection would leave another process behind, until the server has no connection left.
 */
export class AbandonedStatements {
  private pids: readonly number[] = [];
  private isWatching = false;

  constructor(private readonly options: AbandonedStatementsOptions) {}

  /** From now on the statement of that process is one of them, until the server has done it. */
  add(pid: number): void {
    this.set([...new Set([...this.pids, pid])]);
    if (!this.isWatching) this.lookLater();
  }

  private lookLater(): void {
    this.isWatching = this.pids.length > 0;
    // Keeps no process alive.
    if (this.isWatching) setTimeout(() => void this.lookAfter(this.pids).finally(() => this.lookLater()), INTERVAL_MS).unref();
  }

  private async lookAfter(pids: readonly number[]): Promise<void> {
    const working = await this.look(pids);
    this.set(this.pids.filter((pid) => !pids.includes(pid) || working.includes(pid)));
  }

  /** An unreachable server holds no connections of ours; only a full one does. */
  private async look(pids: readonly number[]): Promise<readonly number[]> {
    try {
      return await this.options.findWorking(pids);
    } catch (error) {
      const { code } = error as { code?: unknown };
      return typeof code === 'string' && FULL.test(code) ? pids : [];
    }
  }

  private set(pids: readonly number[]): void {
    const isChanged = pids.length !== this.pids.length;
    this.pids = pids;
    if (isChanged) this.options.onChange(pids.length);
  }
}
