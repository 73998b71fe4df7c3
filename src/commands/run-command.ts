import '../bootstrap/check-node-version';
import { MikroORM } from '@mikro-orm/postgresql';
import { prepare } from '../bootstrap/prepare';
import { explainError, print } from '../bootstrap/terminal';
import type { Config } from '../common/config';
import { environmentVariables } from '../common/process-environment';
import { migrationOptions } from '../mikro-orm.config';

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
  await runCommand(async () => {
    const prepared = await prepare(environmentVariables(), print);
    const orm = await MikroORM.init(migrationOptions(prepared.config));
    try {
      await command(orm, prepared.config);
    } finally {
      await orm.close();
      await prepared.stop();
    }
  });
}
