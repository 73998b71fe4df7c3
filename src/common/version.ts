import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';

const COMMIT = join(__dirname, '../../commit');

/**
 * The version of this build, as package.json has it. Read, because an import would put a copy of that file beside the
 * built ones.
 */
export const version = readVersion();

/**
 * The commit that was built, with `-dirty` after it if files had been changed; `unknown` where the build did not know
 * it.
 */
export const commit = existsSync(COMMIT) ? readFileSync(COMMIT, 'utf8').trim() : 'unknown';

function readVersion(): string {
  const file = findPackageJSON('..', __filename);
  if (file === undefined) throw new Error('There is no package.json above this file.');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
