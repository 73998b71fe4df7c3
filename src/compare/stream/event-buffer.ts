import type { RunEvent } from '../compare.service';
import type { CompareOutcome } from '../compare.types';

/** An event for a stream reader: the events of a run, and finally its outcome. */
export type BufferedEvent = RunEvent | ({ type: 'eval-done' } & CompareOutcome);

/**
 * Buffers the events of a run for a reader that may be slow or gone. Pending text is merged per model, so that a stalled reader
 * costs no more memory than the outputs themselves. The run never waits for the reader.
 */
export class EventBuffer {
  private pending: BufferedEvent[] = [];
  private failure: { cause: unknown } | undefined;
  private isClosed = false;
  private wake: () => void = () => undefined;

  /** Adds an event; never blocks. */
  push(event: BufferedEvent): void {
    const sameModel = event.type === 'delta' ? this.pending.find((other) => other.type === 'delta' && other.model === event.model) : undefined;
    if (event.type === 'delta' && sameModel?.type === 'delta') sameModel.text += event.text;
    else this.pending.push({ ...event });
    this.wake();
  }

  /** Ends the buffer; with a failure, the reader receives that error after the pending events. */
  close(failure?: { cause: unknown }): void {
    this.isClosed = true;
    this.failure = failure;
    this.wake();
  }

  /** The first event without removing it; waits until there is one. @throws the error of the run when it failed before its first event */
  async peek(): Promise<BufferedEvent | undefined> {
    if (this.pending.length === 0 && !this.isClosed) await new Promise<void>((resolve) => { this.wake = resolve; });
    if (this.pending.length === 0 && this.failure !== undefined) throw this.failure.cause;
    return this.pending[0];
  }

  /** Removes and returns the pending events, after waiting up to `timeoutMs` milliseconds for one; undefined at the end. @throws the error of the run */
  async drain(timeoutMs: number): Promise<BufferedEvent[] | undefined> {
    if (this.pending.length === 0 && !this.isClosed) await this.waitForEvent(timeoutMs);
    if (this.pending.length > 0) return this.pending.splice(0);
    if (!this.isClosed) return [];
    if (this.failure !== undefined) throw this.failure.cause;
    return undefined;
  }

  private async waitForEvent(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, timeoutMs);
    });
    clearTimeout(timer);
  }
}
