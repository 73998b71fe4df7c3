import type { ErrorBody } from '../common/errors';
import { EvalDto } from '../evals/eval.dto';
import { ResultDto } from '../evals/result.dto';
import type { CompareEvent } from './compare.service';
import { Outbox } from './outbox';
import { frame, HEARTBEAT } from './sse';

const HEARTBEAT_MS = 10_000;

/** What the frames need to know of the request. */
export interface StreamOptions {
  includeDetails: boolean;
  /** The error body for whatever ended the run. */
  bodyOf(error: unknown): ErrorBody;
}

/** Reads a run to its end, whether or not anybody reads the outbox. */
export function outboxOf(events: AsyncIterable<CompareEvent>): Outbox {
  const outbox = new Outbox();
  const drain = async () => {
    for await (const event of events) outbox.put(event);
  };
  drain().then(() => outbox.close(), (cause: unknown) => outbox.close({ cause }));
  return outbox;
}

/** The run as server-sent events; a failure is the last of them. */
export async function* frames(outbox: Outbox, options: StreamOptions): AsyncGenerator<string> {
  let id = 0;
  try {
    for (let events = await outbox.take(HEARTBEAT_MS); events !== undefined; events = await outbox.take(HEARTBEAT_MS)) {
      if (events.length === 0) yield HEARTBEAT;
      for (const event of events) {
        id += 1;
        yield frame(id, ...wire(event, options.includeDetails));
      }
    }
  } catch (error) {
    yield frame(id + 1, 'error', options.bodyOf(error));
  }
}

function wire(event: CompareEvent, includeDetails: boolean): [name: string, data: unknown] {
  switch (event.type) {
    case 'eval-started': return ['eval-started', { eval_id: event.evalId, models: event.models }];
    case 'delta': return ['delta', { model: event.model, text: event.text }];
    case 'result-ready': return ['result', ResultDto.from(event.result)];
    case 'eval-done': return ['eval', EvalDto.from(event.stored, includeDetails)];
  }
}
