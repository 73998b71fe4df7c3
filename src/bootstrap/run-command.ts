import './check-node-version';
import { parseArgs } from 'node:util';
import type { MikroORM } from '@mikro-orm/postgresql';
import { OperatorError } from '../common/operator-error';
import type { Config } from '../platform/config/config';
import { environmentVariables } from '../platform/config/process-environment';
import { prepare } from './prepare';
import { explainError, print } from './terminal';

/** The options and words that a command accepts. */
export interface CommandLine {
  usage: string;
  /** Without their dashes. */
  flags?: readonly string[];
  /** Options with a value, which may be given several times. */
  options?: readonly string[];
  /** The other words that it takes, one after the other; none of them is needed. */
  operands?: readonly RegExp[];
}

/** The parsed command line. */
interface Words {
  flags: ReadonlySet<string>;
  /** The values of an option. */
  valuesOf: (option: string) => readonly string[];
  operands: readonly string[];
}

/** A command line that is not understood; the command ends with 2 and has opened nothing. */
class UsageError extends OperatorError {}

/** Runs a command to its end, or refuses its command line; a failure is said in one sentence. */
export async function runCommand(line: CommandLine, command: (words: Words) => Promise<void>): Promise<void> {
  await runToEnd(async () => command(readWords(line)));
}

/** Runs a command on DATABASE_URL, or on the embedded database. */
export async function runOnDatabase(
  line: CommandLine,
  command: (orm: MikroORM, config: Config, words: Words) => Promise<void>,
): Promise<void> {
  await runCommand(line, (words) => onDatabase((orm, config) => command(orm, config, words)));
}

/** Runs a command that reads its command line itself. */
export async function runToEnd(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    print(explainError(error));
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** Does something on DATABASE_URL, or on the embedded database. */
async function onDatabase(work: (orm: MikroORM, config: Config) => Promise<void>): Promise<void> {
  const prepared = await prepare(environmentVariables(), print);
  // Loaded only where there is a database, because it takes half the time of a start; one after the other, because Node
  // cannot load at once what both of them need.
  const { MikroORM } = await import('@mikro-orm/postgresql');
  const { migrationOptions } = await import('../mikro-orm.config.js');
  const orm = await MikroORM.init(migrationOptions(prepared.config));
  try {
    await work(orm, prepared.config);
  } finally {
    await orm.close();
    await prepared.stop();
  }
}

/** Reads the words behind the name of a command. @throws UsageError for any word that it does not take */
function readWords({ usage, flags = [], options = [], operands = [] }: CommandLine): Words {
  try {
    const types = {
      ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' }] as const)),
      ...Object.fromEntries(options.map((name) => [name, { type: 'string', multiple: true }] as const)),
    };
    const { values, positionals } = parseArgs({ allowPositionals: true, options: types });
    if (!positionals.every((word, index) => operands[index]?.test(word)))
      throw new Error('a word too many, or another one');
    return {
      flags: new Set(Object.keys(values)),
      valuesOf: (option) => (values[option] as string[] | undefined) ?? [],
      operands: positionals,
    };
  } catch (cause) {
    throw new UsageError(`These words are not understood. Usage: ${usage}`, cause);
  }
}
