/** Work that is never done for good. */
export interface PeriodicTaskOptions {
  /** From the end of one round to the beginning of the next. */
  pauseMs: number;
  /** Does a batch of what there is to do; true when there may be more, which is done at once. */
  runBatch(): Promise<boolean>;
  /** Is told why a round ended early; the next one comes all the same. */
  onFailure(error: unknown): void;
}

/** Does a chore at once and then again after each pause, one round after the other, until it is stopped. */
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

  /** Begins nothing more, and waits for the batch that is under way. */
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
