import type { ServerResponse } from 'node:http';
import type { ErrorBody } from '../../../common/errors';
import type { EvalDto } from '../../analysis/eval.dto';
import { RunResultDto } from '../../evals/result.dto';
import type { Inclusions } from '../../../platform/http/include.dto';
import type { CompareEvent } from '../../execution/compare.types';
import { deltaFrames, frame, HEARTBEAT } from './sse';
import type { StreamTimers } from './stream-timers';

/**
 * A comment is sent after this number of timer ticks without a byte; the first tick may come at once, so that at least
 * 10 s pass.
 */
const HEARTBEAT_TICKS = 22;
/** Frames are joined into writes of about this number of characters. */
const WRITE_CHARACTERS = 65_536;

/** Text of a model that waits to be written. */
interface PendingText {
  sample: number | undefined;
  frame: (id: number, text: string) => string;
  text: string;
}

/** An event that waits to be written; serialized only then. */
type PendingFrame = (id: number) => string;

/**
 * Writes the events of a compare to its caller as server-sent events, straight to the response. The first text of a
 * model's sample goes out at once, later text is
 * joined for up to 20 ms; every other event takes along what waits. The compare never waits for the caller: while the
 * connection is full, text is merged
 * per model, so that a stalled reader costs no more memory than the outputs themselves, and events for a caller who
 * left are dropped.
 */
export class EventStream {
  private readonly texts = new Map<string, PendingText>();
  private pending: (PendingText | PendingFrame)[] = [];
  private lastId = 0;
  private silentTicks = 0;
  private isFull = false;
  private isEnding = false;
  private isClosed: boolean;

  /** Takes a response whose headers are set; does nothing if its caller has left. */
  constructor(
    private readonly response: Pick<ServerResponse, 'destroyed' | 'end' | 'on' | 'write'>,
    private readonly timers: StreamTimers,
    private readonly include: Inclusions,
  ) {
    this.isClosed = response.destroyed;
    if (this.isClosed) return;
    timers.add(this);
    response.on('close', () => this.close());
    response.on('drain', () => {
      this.isFull = false;
      this.flush();
    });
  }

  /** Adds an event of the compare; never blocks. */
  push(event: CompareEvent): void {
    switch (event.type) {
      case 'delta':
        return this.pushText(event.model, event.sample, event.text);
      case 'eval-started':
        return this.pushFrame((id) =>
          frame(id, 'eval-started', { eval_id: event.evalId, models: event.models, samples: event.samples }),
        );
      case 'result-ready':
        return this.pushFrame((id) => frame(id, 'result', RunResultDto.from(event.result, this.include, event.sample)));
    }
  }

  /** Ends the stream with the eval. */
  end(evaluation: EvalDto): void {
    this.pushFrame((id) => frame(id, 'eval', evaluation), true);
  }

  /** Ends the stream with the error that ended the compare. */
  fail(error: ErrorBody): void {
    this.pushFrame((id) => frame(id, 'error', error), true);
  }

  /** Ends the stream with an error in place of all that waits or comes later; the compare goes on. */
  cut(error: ErrorBody): void {
    if (this.isEnding) return;
    this.pending = [];
    this.fail(error);
  }

  /** Writes what waits, as far as the connection takes it. */
  flush(): void {
    while (this.pending.length > 0 && !this.isFull && !this.isClosed) {
      const chunk = this.takeChunk();
      this.silentTicks = 0;
      if (this.isEnding && this.pending.length === 0) this.finish(chunk);
      else this.isFull = !this.response.write(chunk);
    }
  }

  /** Sends a comment when the stream has been silent. */
  tick(): void {
    this.silentTicks += 1;
    if (this.silentTicks < HEARTBEAT_TICKS || this.isFull) return;
    this.silentTicks = 0;
    this.isFull = !this.response.write(HEARTBEAT);
  }

  private pushText(model: string, sample: number | undefined, text: string): void {
    if (this.isClosed || this.isEnding) return;
    const known = this.texts.get(model);
    const waiting =
      known !== undefined && known.sample === sample ? known : { sample, frame: deltaFrames(model, sample), text: '' };
    if (waiting.text === '') this.pending.push(waiting);
    waiting.text += text;
    if (known !== waiting) {
      this.texts.set(model, waiting);
      this.flush();
    } else {
      this.timers.flushSoon(this);
    }
  }

  private pushFrame(serialize: PendingFrame, isLast = false): void {
    if (this.isClosed || this.isEnding) return;
    this.isEnding = isLast;
    this.pending.push(serialize);
    this.flush();
  }

  private takeChunk(): string {
    let chunk = '';
    let count = 0;
    for (const next of this.pending) {
      count += 1;
      this.lastId += 1;
      if (typeof next === 'function') {
        chunk += next(this.lastId);
      } else {
        chunk += next.frame(this.lastId, next.text);
        next.text = '';
      }
      if (chunk.length >= WRITE_CHARACTERS) break;
    }
    this.pending.splice(0, count);
    return chunk;
  }

  private finish(chunk: string): void {
    this.timers.remove(this);
    this.response.end(chunk);
  }

  private close(): void {
    this.isClosed = true;
    this.pending = [];
    this.texts.clear();
    this.timers.remove(this);
  }
}
