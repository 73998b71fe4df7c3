import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { onDatabase } from './database';

/** Watches over a program that would go on without the process that started it. */
export interface Guard {
  /** Ends the program now, unless it has ended already. */
  end(): Promise<void>;
  /** Lets it live. */
  release(): void;
}

/**
 * Sees to it that a program which does not end with this process is ended after it, however this process ends (Ctrl-C
 * and kill -9 included).
 * The target is a pid, or a file whose first line is one.
 */
export function endAfterThisProcess(target: string, signal: NodeJS.Signals): Guard {
  // In a separate session, where no Ctrl-C reaches it.
  const child = spawn(process.execPath, [join(__dirname, 'end-after-parent.cjs'), target, signal], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = once(child, 'exit');
  child.unref();
  // Its pipe, too, would keep a worker of jest from ending.
  (child.stdin as Socket).unref();
  return {
    end: async () => {
      child.stdin.end();
      await exited;
    },
    release: () => void child.kill(),
  };
}

/** Ends the Postgres with that data folder at once, since a session that a test has stopped would never disconnect. */
export function endPostgresAfterThisProcess(dataFolder: string): Guard {
  return endAfterThisProcess(join(dataFolder, 'postmaster.pid'), 'SIGQUIT');
}

/** Where the Postgres at that address keeps its data. */
export async function dataFolderOf(url: string): Promise<string> {
  const { rows } = await onDatabase(url, (client) => client.query<{ data_directory: string }>('show data_directory'));
  return rows[0]?.data_directory ?? '';
}
