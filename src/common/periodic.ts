/** Work that is never done for good. */
export interface Chore {
  /** From the end of one round to the beginning of the next. */
  pauseMs: number;
  /** Does a batch of what there is to do; true when there may be more, which is done at once. */
  batch(): Promise<boolean>;
  /** Is told why a round ended early; the next one comes all the same. */
  onFailure(error: unknown): void;
}

/** Does a chore at once and then again after each pause, one round after the other, until it is stopped. */
export class Periodic {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(private readonly chore: Chore) {}

  get isStopping(): boolean {
    return this.stopping;
  }

  start(): void {
    this.lookIn(0);
  }

  /** Begins nothing more, and waits for the batch that is under way. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.round;
  }

  private lookIn(milliseconds: number): void {
    if (this.stopping) return;
    this.timer = setTimeout(() => {
      this.round = this.doRound().finally(() => this.lookIn(this.chore.pauseMs));
    }, milliseconds);
  }

  private async doRound(): Promise<void> {
    try {
      let mayBeMore: boolean;
      do mayBeMore = await this.chore.batch();
      while (mayBeMore && !this.stopping);
    } catch (error) {
      this.chore.onFailure(error);
    }
  }
}
