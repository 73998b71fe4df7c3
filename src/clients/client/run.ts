import { AuthenticationError, CompareError, ConnectionError, errorFromBody, ServiceError } from './errors';
import type { StreamEvent } from './events';
import { delay } from './retries';

/** How a run reaches the service. */
interface RunSource<Eval> {
  /** Sends the compare; resolves with its events when the first has come. */
  open(): Promise<AsyncGenerator<StreamEvent, void, undefined>>;
  /** The stored eval. */
  get(evalId: string): Promise<Eval>;
  /** The eval by the Idempotency-Key of the run. */
  replay(): Promise<Eval>;
  signal: AbortSignal | undefined;
  /** False for `store: false`: then the stream is the only copy. */
  isStored: boolean;
}

/** A piece of an answer that is being written. */
export interface TextPiece {
  model: string;
  /** The piece. */
  text: string;
  /** The answer up to the end of the piece. */
  whole: string;
  /** Number of the sample, from 0; only where there are several. */
  sample?: number;
}

const EVENTS = new Set(['eval-started', 'delta', 'result', 'eval', 'error']);
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 4000;
const MAX_TOTAL_WAIT_MS = 100_000;

/**
 * A compare that is watched while it runs. Reading its events or asking for its eval sends it, once. A reader that
 * leaves, or whose connection breaks,
 * does not end the run: it goes on, is stored and charged, and `eval()` finds it.
 */
export class CompareRun<Event, Eval> implements AsyncIterable<Event> {
  /** The id of the eval, known from the first event on. */
  evalId: string | undefined;
  private isRead = false;
  private outcome: { stored: Eval } | undefined;
  private failure: { error: unknown } | undefined;
  private result: Promise<Eval> | undefined;
  private readonly ended: Promise<void>;
  private end: () => void = () => undefined;

  constructor(private readonly source: RunSource<Eval>) {
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  /**
   * The events, once. An `error` event is the last one and is not thrown. @throws CompareError; ConnectionError
   * connection_lost when the connection breaks after the first event
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    if (this.isRead) throw new TypeError('The events of a run can be read once; call eval() for its eval.');
    this.isRead = true;
    try {
      for await (const event of await this.source.open()) {
        if (!EVENTS.has(event.event)) continue;
        this.note(event);
        yield event as Event;
        if (this.outcome !== undefined) return;
      }
      if (this.failure === undefined)
        throw new ConnectionError('The stream ended before the run ended.', { code: 'connection_lost' });
    } catch (thrown) {
      // A connection that the caller gave up is not lost.
      const error: unknown = this.source.signal?.aborted === true ? this.source.signal.reason : thrown;
      this.failure ??= { error };
      throw error;
    } finally {
      this.end();
    }
  }

  /**
   * The texts by model while models write: each piece, and the whole text so far. They replace the events, once.
   * @throws CompareError like the events, and the error that ended the run
   */
  async *texts(): AsyncGenerator<TextPiece, void, undefined> {
    const soFar = new Map<string, string>();
    for await (const event of this) {
      const { event: name, data } = event as StreamEvent;
      if (name !== 'delta') continue;
      const { model, text, sample } = data as TextPiece;
      const part = `${model}\n${sample ?? 0}`;
      const whole = (soFar.get(part) ?? '') + text;
      soFar.set(part, whole);
      yield { model, text, whole, ...(sample !== undefined && { sample }) };
    }
    if (this.failure !== undefined) throw this.failure.error;
  }

  /**
   * Resolves to the eval when the run has ended, and reads the events if the caller does not. After a broken connection
   * it asks for the stored eval for up to 100 seconds.
   * @throws CompareError with the error that ended the run, ServiceError eval_not_stored, or the last error of the
   * service if it did not say that there is no such eval
   */
  eval(): Promise<Eval> {
    return (this.result ??= this.settle());
  }

  private note({ event, data }: StreamEvent): void {
    if (event === 'eval-started') this.evalId = (data as { eval_id: string }).eval_id;
    if (event === 'error') this.failure = { error: errorFromBody(data) };
    if (event === 'eval') {
      this.evalId = (data as { eval_id: string }).eval_id;
      this.outcome = { stored: data as Eval };
    }
  }

  private async settle(): Promise<Eval> {
    if (this.isRead) await this.ended;
    else await this.readAll();
    if (this.outcome !== undefined) return this.outcome.stored;
    const isLost = this.failure === undefined || this.failure.error instanceof ConnectionError;
    if (!isLost || this.evalId === undefined) throw this.failure?.error;
    return await this.find(this.evalId);
  }

  private async readAll(): Promise<void> {
    try {
      // eslint-disable-next-line @typescript-eslint/no-unused-vars -- only the end counts
      for await (const _ of this);
    } catch {
      // Kept as the failure of the run.
    }
  }

  private async find(evalId: string): Promise<Eval> {
    if (!this.source.isStored)
      throw new ServiceError(
        'The connection ended before the eval was received, and with store: false the service keeps no copy. Completed calls are charged.',
        { code: 'eval_not_stored' },
      );
    let last: unknown;
    for (
      let [waited, wait] = [0, FIRST_WAIT_MS];
      waited <= MAX_TOTAL_WAIT_MS;
      [waited, wait] = [waited + wait, Math.min(wait * 2, MAX_WAIT_MS)]
    ) {
      try {
        return await this.source.get(evalId);
      } catch (error) {
        // A key that may compare but not read evals still receives its own by its Idempotency-Key.
        if (error instanceof AuthenticationError && error.status === 403) return await this.source.replay();
        if (!mayYetCome(error)) throw error;
        last = error;
      }
      await delay(wait, this.source.signal);
    }
    // Without an answer of the service, the eval may be stored and charged.
    if (!(last instanceof CompareError && last.status === 404)) throw last;
    throw new ServiceError(
      `The service has not stored the eval ${evalId}: every model failed, or it could not be stored. An eval that is not stored is not charged.`,
      { code: 'eval_not_stored' },
    );
  }
}

function mayYetCome(error: unknown): boolean {
  return (
    error instanceof CompareError &&
    (error.status === 404 || error.status === 429 || error instanceof ConnectionError || error instanceof ServiceError)
  );
}
