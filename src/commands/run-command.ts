import { ConfigError } from '../common/config';
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

/** What to print for an error that ends the process. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof CatalogueError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
