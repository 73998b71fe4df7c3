import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { temporaryFolder } from '../../support/temporary-folder';

/** The user that runs Postgres, which refuses to run as root: Debian's user for it, or the caller. */
export function postgresUser(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** A new folder that belongs to that user, and is removed after the tests of the file. */
export function postgresFolder(): string {
  const folder = temporaryFolder();
  const { uid, gid } = postgresUser();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}
