import { parseArgs } from 'node:util';
import { OperatorError } from '../common/operator-error';

/** Whether a command is to print JSON, by `--json`, the only word that it takes. @throws OperatorError with its usage for any other word */
export function wantsJson(usage: string): boolean {
  try {
    return parseArgs({ options: { json: { type: 'boolean', default: false } } }).values.json;
  } catch (cause) {
    throw new OperatorError(`These words are not understood. Usage: ${usage}`, cause);
  }
}
