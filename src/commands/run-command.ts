import '../bootstrap/check-node-version';
import type { MikroORM } from '@mikro-orm/postgresql';
import { prepare } from '../bootstrap/prepare';
import { explainError, print } from '../bootstrap/terminal';
import type { Config } from '../config/config';
import { environmentVariables } from '../config/process-environment';
import { readWords, UsageError, type CommandLine, type Words } from './words';

/** Runs a command to its end, or refuses its command line; a failure is said in one sentence. */
export async function runCommand(line: CommandLine, command: (words: Words) => Promise<void>): Promise<void> {
  await runToEnd(async () => command(readWords(line)));
}

/** Runs a command on DATABASE_URL, or on the embedded database. */
export async function runOnDatabase(line: CommandLine, command: (orm: MikroORM, config: Config, words: Words) => Promise<void>): Promise<void> {
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
export async function onDatabase(work: (orm: MikroORM, config: Config) => Promise<void>): Promise<void> {
  const prepared = await prepare(environmentVariables(), print);
  // Loaded only where there is a database, because it takes half the time of a start; one after the other, because Node cannot load at once what both of them need.
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
