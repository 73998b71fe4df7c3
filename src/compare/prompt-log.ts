import type { CompareOutcome } from './compare.types';

/** The parts of a request that logging needs. */
interface LoggedRequest {
  id: string;
  log: { info(fields: object, message: string): void };
}

/** Logs the prompt and the outputs of a finished run; only called when LOG_PROMPTS is on. */
export function logPrompts({ stored: { record, results }, isReplay }: CompareOutcome, { id, log }: LoggedRequest): void {
  const outputs = results.map(({ model, output }) => ({ model, output }));
  log.info({ reqId: id, evalId: record.id, isReplay, prompt: record.prompt, input: record.input, outputs }, 'compare');
}
