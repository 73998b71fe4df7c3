import type { Clock } from '../../common/clock';
import { withTimeout } from '../../common/with-timeout';

/** How long a request waits for a store that was reachable so far. */
const TIMEOUT_MS = 250;
/** How often an unreachable store is tried again, at most, and only when there are calls. */
const PROBE_INTERVAL_MS = 500;

/** Is called when the state of the circuit changes. */
interface CircuitBreakerListener {
  /** Once per outage. */
  onOpen(cause: unknown): void;
  onClose(): void;
  /** For each call that got no result. */
  onRejected(): void;
}

/**
 * Bounds what a shared store can cost a request: one short wait when it becomes unreachable, none while the circuit is
 * open.
 */
export class CircuitBreaker {
  private isOpen = false;
  private nextProbeMs = 0;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly listener: CircuitBreakerListener,
  ) {}

  /** The result of a call to the store; undefined when there is none in time. Never throws. */
  async execute<T>(call: () => Promise<T>): Promise<T | undefined> {
    if (!this.isOpen) {
      const result = await this.attempt(call);
      if (result === undefined) this.listener.onRejected();
      return result;
    }
    // The call itself probes the store, but this request does not wait for it.
    const now = this.clock.monotonicMs();
    if (now >= this.nextProbeMs) {
      this.nextProbeMs = now + PROBE_INTERVAL_MS;
      void this.attempt(call);
    }
    this.listener.onRejected();
    return undefined;
  }

  /** Updates the state of the circuit by a call that no request waits for. */
  async check(call: () => Promise<unknown>): Promise<void> {
    await this.attempt(call);
  }

  private async attempt<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await withTimeout(TIMEOUT_MS, call());
      if (this.isOpen) this.listener.onClose();
      this.isOpen = false;
      return result;
    } catch (cause) {
      if (!this.isOpen) this.listener.onOpen(cause);
      this.isOpen = true;
      return undefined;
    }
  }
}
