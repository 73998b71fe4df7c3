import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { ApiError } from '../common/errors';
import { FairQueue } from '../background/fair-queue';
import type { Steps } from '../statistics/steps';

/** Steps run for about this time, then other work of the process gets a turn. */
const SLICE_MS = 4;
/** The maximum number of computations that hold the texts of an eval in memory at the same time. */
const MAX_RUNNING = 4;
/** The maximum number of waiting computations of one user; they hold no texts. */
const MAX_WAITING_PER_USER = 20;

/** Long computations on stored answers, which must not hold up other requests. */
@Injectable()
export class ComputationsService {
  private readonly slices = new FairQueue();
  /** Waiting computations by user; the next user comes first. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private running = 0;

  constructor(private readonly clock: Clock) {}

  /** Takes the steps in slices: of all computations, one slice in each turn of the event loop. */
  async compute<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      await new Promise<void>((resolve) => this.slices.enqueue(resolve));
      const end = this.clock.monotonicMs() + SLICE_MS;
      do {
        const step = steps.next();
        if (step.done === true) return step.value;
      } while (this.clock.monotonicMs() < end);
    }
  }

  /** Loads something and computes on it when it is the user's turn. @throws ApiError rate_limited when too many of this user wait already */
  async inTurn<T>(userId: string, work: () => Promise<T>): Promise<T> {
    await this.enter(userId);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private async enter(userId: string): Promise<void> {
    if (this.running < MAX_RUNNING) {
      this.running += 1;
      return;
    }
    const own = this.waiting.get(userId) ?? [];
    if (own.length >= MAX_WAITING_PER_USER) {
      throw new ApiError('rate_limited', { message: `At most ${MAX_WAITING_PER_USER} requests of one user for statistics, agreement or drift may wait at the same time.`, retryAfterSeconds: 1 });
    }
    this.waiting.set(userId, own);
    await new Promise<void>((resolve) => own.push(resolve));
  }

  /** Hands over to the next user, who then goes to the end of the line. */
  private leave(): void {
    const next = this.waiting.entries().next().value;
    if (next === undefined) {
      this.running -= 1;
      return;
    }
    const [userId, [resolve, ...others]] = next;
    this.waiting.delete(userId);
    if (others.length > 0) this.waiting.set(userId, others);
    resolve?.();
  }
}
