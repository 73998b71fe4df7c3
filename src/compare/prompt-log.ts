import type { CompareOutcome } from './settlement/settlement.service';

/** What a request has to do with the log. */
interface Logged {
  id: string;
  log: { info(fields: object, message: string): void };
}

/** Writes the prompt and the outputs of a finished run down; only where LOG_PROMPTS says so. */
export function logPrompts({ stored: { record, results }, isReplay }: CompareOutcome, { id, log }: Logged): void {
  const outputs = results.map(({ model, output }) => ({ model, output }));
  log.info({ reqId: id, evalId: record.id, isReplay, prompt: record.prompt, input: record.input, outputs }, 'compare');
}
