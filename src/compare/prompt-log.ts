import type { CompareEvent } from './compare.service';

/** Where a line of the log goes. */
export interface LineLog {
  info(fields: object, message: string): void;
}

/** Passes a run's events on and writes its prompt and outputs down when it is done; only where LOG_PROMPTS says so. */
export async function* withPromptsLogged(events: AsyncIterable<CompareEvent>, log: LineLog): AsyncGenerator<CompareEvent> {
  for await (const event of events) {
    if (event.type === 'eval-done') log.info(linesOf(event), 'compare');
    yield event;
  }
}

function linesOf({ stored: { record, results }, isReplay }: Extract<CompareEvent, { type: 'eval-done' }>): object {
  return { evalId: record.id, isReplay, prompt: record.prompt, input: record.input, outputs: results.map(({ model, output }) => ({ model, output })) };
}
