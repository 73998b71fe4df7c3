import type { Clock } from '../common/clock';
import { within } from '../common/within';

/** How long a request waits for a store that has answered so far. */
const PATIENCE_MS = 250;
/** How often a store that is away is asked again, and only while somebody asks. */
const PROBE_EVERY_MS = 500;

/** What is to be done when a store goes and comes. */
export interface OutageListener {
  /** Once per outage. */
  away(cause: unknown): void;
  back(): void;
  /** For each question that had to go without an answer. */
  unanswered(): void;
}

/** Bounds what a shared store can cost a request: one short wait when it goes away, none while it is away. */
export class OutageGuard {
  private isAway = false;
  private nextProbeMs = 0;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly listener: OutageListener,
  ) {}

  /** The store's answer; undefined when it gives none in time. Never throws. */
  async ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    if (!this.isAway) {
      const answer = await this.attempt(question);
      if (answer === undefined) this.listener.unanswered();
      return answer;
    }
    // The question itself shows whether the store is back, but this request does not wait to see.
    const now = this.clock.monotonicMs();
    if (now >= this.nextProbeMs) {
      this.nextProbeMs = now + PROBE_EVERY_MS;
      void this.attempt(question);
    }
    this.listener.unanswered();
    return undefined;
  }

  /** Finds out whether the store answers; nobody's request hangs on it. */
  async check(question: () => Promise<unknown>): Promise<void> {
    await this.attempt(question);
  }

  private async attempt<T>(question: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await within(PATIENCE_MS, question());
      if (this.isAway) this.listener.back();
      this.isAway = false;
      return answer;
    } catch (cause) {
      if (!this.isAway) this.listener.away(cause);
      this.isAway = true;
      return undefined;
    }
  }
}
