import type { Stored } from './settlement.service';

/** Where a line of the log goes. */
export interface LineLog {
  info(fields: object, message: string): void;
}

/** Writes the prompt and the outputs of a finished run down; only where LOG_PROMPTS says so. */
export function logPrompts({ stored: { record, results }, isReplay }: Stored, log: LineLog): void {
  const outputs = results.map(({ model, output }) => ({ model, output }));
  log.info({ evalId: record.id, isReplay, prompt: record.prompt, input: record.input, outputs }, 'compare');
}
