import type { RunEvent } from '../compare.service';
import type { CompareOutcome } from '../settlement/settlement.service';

/** What a listener is sent: what happens in a run, and last of all what stands after it. */
export type BufferedEvent = RunEvent | ({ type: 'eval-done' } & CompareOutcome);

/**
 * Events on their way to a reader who may be slow or gone. Texts that wait are joined model by model, so that a reader who stops
 * costs no more memory than the answers themselves; the run never waits for the reader.
 */
export class EventBuffer {
  private waiting: BufferedEvent[] = [];
  private failure: { cause: unknown } | undefined;
  private isClosed = false;
  private wake: () => void = () => undefined;

  push(event: BufferedEvent): void {
    const sameModel = event.type === 'delta' ? this.waiting.find((other) => other.type === 'delta' && other.model === event.model) : undefined;
    if (event.type === 'delta' && sameModel?.type === 'delta') sameModel.text += event.text;
    else this.waiting.push({ ...event });
    this.wake();
  }

  /** No more events come; with a cause, the reader ends with that error after what still waits. */
  close(failure?: { cause: unknown }): void {
    this.isClosed = true;
    this.failure = failure;
    this.wake();
  }

  /** The first event, still to be taken; waits for it. @throws whatever the run ended with before anything happened */
  async peek(): Promise<BufferedEvent | undefined> {
    if (this.waiting.length === 0 && !this.isClosed) await new Promise<void>((resolve) => { this.wake = resolve; });
    if (this.waiting.length === 0 && this.failure !== undefined) throw this.failure.cause;
    return this.waiting[0];
  }

  /** Takes what waits, waiting up to `patienceMs` for something; undefined after the last. @throws whatever the run ended with */
  async drain(patienceMs: number): Promise<BufferedEvent[] | undefined> {
    if (this.waiting.length === 0 && !this.isClosed) await this.arrival(patienceMs);
    if (this.waiting.length > 0) return this.waiting.splice(0);
    if (!this.isClosed) return [];
    if (this.failure !== undefined) throw this.failure.cause;
    return undefined;
  }

  private async arrival(patienceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, patienceMs);
    });
    clearTimeout(timer);
  }
}
