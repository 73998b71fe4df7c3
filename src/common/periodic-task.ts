/** Options of a periodic task. */
export interface PeriodicTaskOptions {
  /** Pause between the end of one round and the start of the next, in milliseconds (not a period). */
  pauseMs: number;
  /** Runs one batch; resolves to true when there may be more work, and then runs again without a pause. */
  runBatch(): Promise<boolean>;
  /** Called with the error that ended a round early; the next round runs regardless. */
  onFailure(error: unknown): void;
}

/** Runs a task immediately and then again after each pause, one round at a time, until it is stopped. */
export class PeriodicTask {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(private readonly options: PeriodicTaskOptions) {}

  get isStopping(): boolean {
    return this.stopping;
  }

  start(): void {
    this.schedule(0);
  }

  /** Prevents further rounds and waits for the running batch. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.round;
  }

  private schedule(milliseconds: number): void {
    if (this.stopping) return;
    this.timer = setTimeout(() => {
      this.round = this.runRound().finally(() => this.schedule(this.options.pauseMs));
    }, milliseconds);
  }

  private async runRound(): Promise<void> {
    try {
      let mayBeMore: boolean;
      do mayBeMore = await this.options.runBatch();
      while (mayBeMore && !this.stopping);
    } catch (error) {
      this.options.onFailure(error);
    }
  }
}
