import { parseArgs } from 'node:util';
import { OperatorError } from '../common/operator-error';

/** The options and words that a command accepts. */
export interface CommandLine {
  usage: string;
  /** Without their dashes. */
  flags?: readonly string[];
  /** The other words that it takes, one after the other; none of them is needed. */
  operands?: readonly RegExp[];
}

/** The parsed command line. */
export interface Words {
  flags: ReadonlySet<string>;
  operands: readonly string[];
}

/** A command line that is not understood; the command ends with 2 and has opened nothing. */
export class UsageError extends OperatorError {}

/** Reads the words behind the name of a command. @throws UsageError for any word that it does not take */
export function readWords({ usage, flags = [], operands = [] }: CommandLine): Words {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: Object.fromEntries(flags.map((name) => [name, { type: 'boolean' }] as const)) });
    if (!positionals.every((word, index) => operands[index]?.test(word))) throw new Error('a word too many, or another one');
    return { flags: new Set(Object.keys(values)), operands: positionals };
  } catch (cause) {
    throw new UsageError(`These words are not understood. Usage: ${usage}`, cause);
  }
}
