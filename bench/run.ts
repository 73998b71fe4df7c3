import { openDatabases, type Databases } from './databases';
import { stopAll } from './processes';
import { say } from './settings';

/** Runs a program on separate databases and exits. Always ends everything that the program started. */
export function runOn(program: (databases: Databases) => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stopAll().then(() => process.exit(1)));
  framed(program).then(() => process.exit(0), (error: unknown) => {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exit(1);
  });
}

async function framed(program: (databases: Databases) => Promise<void>): Promise<void> {
  const databases = await openDatabases();
  try {
    await program(databases);
  } finally {
    await stopAll();
    await databases.stop();
  }
}
