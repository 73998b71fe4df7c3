import '../bootstrap/check-node-version';
import type { MikroORM } from '@mikro-orm/postgresql';
import { prepare } from '../bootstrap/prepare';
import { explainError, print } from '../bootstrap/terminal';
import type { Config } from '../common/config';
import { environmentVariables } from '../common/process-environment';

/** Runs a command to its end; a failure is told in one sentence. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    print(explainError(error));
    process.exitCode = 1;
  }
}

/** Runs a command on DATABASE_URL, or on the embedded database. */
export async function runOnDatabase(command: (orm: MikroORM, config: Config) => Promise<void>): Promise<void> {
  await runCommand(() => onDatabase(command));
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
