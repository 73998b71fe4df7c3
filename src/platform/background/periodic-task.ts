import { channel } from 'node:diagnostics_channel';
import { outsideRequests } from '../observability/outside-requests';

/** The metric that a named task publishes at the end of each round. */
export interface TaskRound {
  task: string;
  isSuccess: boolean;
}

/** Where rounds are published, for the metrics: tasks need not know who counts them. */
export const TASK_ROUNDS = 'mcs:task-rounds';

const rounds = channel(TASK_ROUNDS);

/** Options of a periodic task. */
interface PeriodicTaskOptions {
  /** Its name in the metrics; a task that does not always run has none. */
  name?: string;
  /**
   * Pause between the end of one round and the start of the next, in milliseconds (not a period); called each time if
   * it is a function.
   */
  pauseMs: number | (() => number);
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
  private isRunning = false;
  private isWoken = false;

  constructor(private readonly options: PeriodicTaskOptions) {}

  get isStopping(): boolean {
    return this.stopping;
  }

  start(): void {
    this.schedule(0);
  }

  /** Runs a round now instead of after the pause; a running round is followed by another at once. */
  wake(): void {
    // Also where none is under way: one may just have ended whose pause is about to be set.
    this.isWoken = true;
    if (!this.isRunning && this.timer !== undefined) this.schedule(0);
  }

  /** Prevents further rounds and waits for the running batch. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.round;
  }

  private schedule(milliseconds: number): void {
    if (this.stopping) return;
    clearTimeout(this.timer);
    // A round belongs to no request, not even to the request that started or woke the task.
    this.timer = outsideRequests(() =>
      setTimeout(() => {
        this.round = this.runRound().finally(() => this.schedule(this.isWoken ? 0 : this.pauseMs));
      }, milliseconds),
    );
  }

  private publish(isSuccess: boolean): void {
    const { name: task } = this.options;
    if (task !== undefined) rounds.publish({ task, isSuccess } satisfies TaskRound);
  }

  private get pauseMs(): number {
    const { pauseMs } = this.options;
    return typeof pauseMs === 'number' ? pauseMs : pauseMs();
  }

  private async runRound(): Promise<void> {
    this.isRunning = true;
    this.isWoken = false;
    try {
      let mayBeMore: boolean;
      do mayBeMore = await this.options.runBatch();
      while (mayBeMore && !this.stopping);
      this.publish(true);
    } catch (error) {
      this.options.onFailure(error);
      this.publish(false);
    } finally {
      this.isRunning = false;
    }
  }
}
