interface Waiting<T> {
  jobs: T[];
  /** Milliseconds that count as used by this user. */
  usedMs: number;
}

/**
 * Jobs of several users for one thread: next is the oldest job of the user with the least used time, so that slow jobs of one delay the others by one of them at most.
 * A new user starts with the time of the last served user, and so neither waits for the past nor profits from it.
 */
export class SharedTime<T> {
  private readonly users = new Map<string, Waiting<T>>();
  private lastUsedMs = 0;
  private count = 0;

  /** Jobs that wait. */
  get size(): number {
    return this.count;
  }

  /** Jobs of a user that wait. */
  sizeOf(user: string): number {
    return this.users.get(user)?.jobs.length ?? 0;
  }

  add(user: string, job: T): void {
    const waiting = this.users.get(user) ?? { jobs: [], usedMs: this.lastUsedMs };
    waiting.jobs.push(job);
    this.users.set(user, waiting);
    this.count += 1;
  }

  /** Takes the job that is next; `finished` has to be called before another is taken. */
  take(): { user: string; job: T } | undefined {
    let next: [string, Waiting<T>] | undefined;
    for (const entry of this.users) if (entry[1].jobs.length > 0 && (next === undefined || entry[1].usedMs < next[1].usedMs)) next = entry;
    const job = next?.[1].jobs.shift();
    if (next === undefined || job === undefined) return undefined;
    this.lastUsedMs = next[1].usedMs;
    this.count -= 1;
    return { user: next[0], job };
  }

  /** Counts the time that a job took for its user. */
  finished(user: string, tookMs: number): void {
    const waiting = this.users.get(user);
    if (waiting !== undefined) waiting.usedMs += tookMs;
    this.forgetIdle();
  }

  /** A user without waiting jobs who is not ahead of the others starts over the next time. */
  private forgetIdle(): void {
    if (this.count === 0) this.users.clear();
    for (const [user, { jobs, usedMs }] of this.users) if (jobs.length === 0 && usedMs <= this.lastUsedMs) this.users.delete(user);
  }
}
