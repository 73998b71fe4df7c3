import type { Clock } from '../common/clock';
import { withTimeout } from '../common/with-timeout';

/** How long a request waits for a store that has answered so far. */
const TIMEOUT_MS = 250;
/** How often a store that is away is asked again, and only while somebody asks. */
const PROBE_INTERVAL_MS = 500;

/** What is to be done when a store goes and comes. */
export interface CircuitBreakerListener {
  /** Once per outage. */
  onOpen(cause: unknown): void;
  onClose(): void;
  /** For each question that had to go without an answer. */
  onRejected(): void;
}

/** Bounds what a shared store can cost a request: one short wait when it goes away, none while it is away. */
export class CircuitBreaker {
  private isOpen = false;
  private nextProbeMs = 0;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly listener: CircuitBreakerListener,
  ) {}

  /** The store's answer; undefined when it gives none in time. Never throws. */
  async execute<T>(question: () => Promise<T>): Promise<T | undefined> {
    if (!this.isOpen) {
      const answer = await this.attempt(question);
      if (answer === undefined) this.listener.onRejected();
      return answer;
    }
    // The question itself shows whether the store is back, but this request does not wait to see.
    const now = this.clock.monotonicMs();
    if (now >= this.nextProbeMs) {
      this.nextProbeMs = now + PROBE_INTERVAL_MS;
      void this.attempt(question);
    }
    this.listener.onRejected();
    return undefined;
  }

  /** Finds out whether the store answers; nobody's request hangs on it. */
  async check(question: () => Promise<unknown>): Promise<void> {
    await this.attempt(question);
  }

  private async attempt<T>(question: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await withTimeout(TIMEOUT_MS, question());
      if (this.isOpen) this.listener.onClose();
      this.isOpen = false;
      return answer;
    } catch (cause) {
      if (!this.isOpen) this.listener.onOpen(cause);
      this.isOpen = true;
      return undefined;
    }
  }
}
