import type { ErrorBody } from '../../common/errors';
import { EvalDto } from '../../evals/eval.dto';
import { ResultDto } from '../../evals/result.dto';
import type { OnRunEvent } from '../compare.service';
import { EventBuffer, type BufferedEvent } from './event-buffer';
import type { CompareOutcome } from '../settlement/settlement.service';
import { frame, HEARTBEAT } from './sse';

const HEARTBEAT_MS = 10_000;

/** What the frames need to know of the request. */
export interface StreamOptions {
  includeDetails: boolean;
  /** The error body for whatever ended the run. */
  bodyOf(error: unknown): ErrorBody;
}

/** Puts everything that a run tells and how it ends into an outbox, whether or not anybody reads that. */
export function bufferEvents(run: (onEvent: OnRunEvent) => Promise<CompareOutcome>): EventBuffer {
  const outbox = new EventBuffer();
  const end = (done: CompareOutcome) => {
    outbox.push({ type: 'eval-done', ...done });
    outbox.close();
  };
  run((event) => outbox.push(event)).then(end, (cause: unknown) => outbox.close({ cause }));
  return outbox;
}

/** The run as server-sent events; a failure is the last of them. */
export async function* toSseFrames(outbox: EventBuffer, options: StreamOptions): AsyncGenerator<string> {
  let id = 0;
  try {
    for (let events = await outbox.drain(HEARTBEAT_MS); events !== undefined; events = await outbox.drain(HEARTBEAT_MS)) {
      if (events.length === 0) yield HEARTBEAT;
      for (const event of events) {
        id += 1;
        yield frame(id, ...toSseEvent(event, options.includeDetails));
      }
    }
  } catch (error) {
    yield frame(id + 1, 'error', options.bodyOf(error));
  }
}

function toSseEvent(event: BufferedEvent, includeDetails: boolean): [name: string, data: unknown] {
  switch (event.type) {
    case 'eval-started': return ['eval-started', { eval_id: event.evalId, models: event.models }];
    case 'delta': return ['delta', { model: event.model, text: event.text }];
    case 'result-ready': return ['result', ResultDto.from(event.result)];
    case 'eval-done': return ['eval', EvalDto.from(event.stored, includeDetails)];
  }
}
