import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian keeps Postgres' own programs apart, and those of servers out of the path of users. */
const FOLDERS = ['/usr/lib/postgresql/15/bin', ...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];

/** Where a program is, or nothing if it is not installed. */
export function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find(isExecutable);
}

/** Where a program is that the suite has asked for. */
export function programPath(name: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is not installed.`);
  return path;
}

/**
 * `describe` where all these programs are installed; elsewhere the suite is skipped, and the last lines of the run name
 * the first that is missing.
 */
export function describeWith(programs: readonly string[], name: string, suite: () => void): void {
  const missing = programs.find((program) => findProgram(program) === undefined);
  if (missing === undefined) describe(name, suite);
  else describe.skip(`${name} (needs ${missing})`, suite);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
