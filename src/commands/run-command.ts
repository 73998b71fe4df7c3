import '../bootstrap/check-node-version';
import { MikroORM } from '@mikro-orm/postgresql';
import { prepare } from '../bootstrap/prepare';
import type { Config } from '../common/config';
import { OperatorError } from '../common/operator-error';
import { environmentVariables } from '../common/process-environment';
import { registerSecrets, redact } from '../common/redaction';
import { explainDatabaseError } from '../database/explain-database-error';
import { migrationOptions } from '../mikro-orm.config';

/** Prints a line for the person at the terminal. */
export function print(line: string): void {
  process.stderr.write(`${line}\n`);
}

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

/** What to print for an error that ends the process: one sentence, with its stack only where LOG_LEVEL asks for it. */
export function explainError(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const variables = environmentVariables();
  registerSecrets(variables);
  if (['debug', 'trace'].includes(variables['LOG_LEVEL'] ?? '')) return redact(stack ?? message);
  return explainDatabaseError(error) ?? `${redact(message)} (LOG_LEVEL=debug shows where this comes from.)`;
}
