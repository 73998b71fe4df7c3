import type { ErrorBody } from '../../common/errors';
import { EvalDto } from '../../evals/eval.dto';
import { RunResultDto } from '../../evals/result.dto';
import type { OnRunEvent } from '../compare.service';
import type { CompareOutcome } from '../compare.types';
import { EventBuffer, type BufferedEvent } from './event-buffer';
import { frame, HEARTBEAT } from './sse';

/** A comment is sent after this many milliseconds without an event. */
const HEARTBEAT_INTERVAL_MS = 10_000;

/** What the stream depends on in the request. */
export interface StreamOptions {
  includeDetails: boolean;
  /** The error body for the error that ended the run. */
  toErrorBody(error: unknown): ErrorBody;
}

/** Starts a run and buffers its events and its outcome, whether or not anyone reads them. */
export function bufferEvents(run: (onEvent: OnRunEvent) => Promise<CompareOutcome>): EventBuffer {
  const buffer = new EventBuffer();
  const end = (outcome: CompareOutcome) => {
    buffer.push({ type: 'eval-done', ...outcome });
    buffer.close();
  };
  run((event) => buffer.push(event)).then(end, (cause: unknown) => buffer.close({ cause }));
  return buffer;
}

/** Serializes a run as server-sent events; a failure is the last of them. */
export async function* toSseFrames(buffer: EventBuffer, options: StreamOptions): AsyncGenerator<string> {
  let id = 0;
  try {
    for (let events = await buffer.drain(HEARTBEAT_INTERVAL_MS); events !== undefined; events = await buffer.drain(HEARTBEAT_INTERVAL_MS)) {
      if (events.length === 0) yield HEARTBEAT;
      for (const event of events) {
        id += 1;
        yield frame(id, ...toSseEvent(event, options.includeDetails));
      }
    }
  } catch (error) {
    yield frame(id + 1, 'error', options.toErrorBody(error));
  }
}

function toSseEvent(event: BufferedEvent, includeDetails: boolean): [name: string, data: unknown] {
  switch (event.type) {
    case 'eval-started': return ['eval-started', { eval_id: event.evalId, models: event.models }];
    case 'delta': return ['delta', { model: event.model, text: event.text }];
    case 'result-ready': return ['result', RunResultDto.from(event.result, includeDetails)];
    case 'eval-done': return ['eval', EvalDto.from(event.stored, includeDetails)];
  }
}
