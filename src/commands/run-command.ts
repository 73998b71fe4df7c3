import '../node-version';
import { MikroORM } from '@mikro-orm/postgresql';
import { ConfigError, environmentVariables, type Config } from '../common/config';
import { explainDatabaseError } from '../common/explain-database-error';
import { prepare } from '../local/prepare';
import { ormOptions } from '../mikro-orm.config';
import { CatalogueError } from '../models/catalogue';

/** Prints a line for the person at the terminal. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Runs a command to its end; a failure that the operator can mend is told in one sentence, any other with its stack. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    say(explain(error));
    process.exitCode = 1;
  }
}

/** Runs a command on DATABASE_URL, or on the embedded database. */
export async function runOnDatabase(command: (orm: MikroORM, config: Config) => Promise<void>): Promise<void> {
  await runCommand(async () => {
    const prepared = await prepare(environmentVariables(), say);
    const orm = await MikroORM.init(ormOptions(prepared.config));
    try {
      await command(orm, prepared.config);
    } finally {
      await orm.close();
      await prepared.stop();
    }
  });
}

/** What to print for an error that ends the process. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof CatalogueError) return error.message;
  return explainDatabaseError(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}
