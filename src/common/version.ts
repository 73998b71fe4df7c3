import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of this build, as package.json has it. Read, because an import would put a copy of that file beside the built ones. */
export const version = readVersion();

function readVersion(): string {
  const file = findPackageJSON('..', __filename);
  if (file === undefined) throw new Error('There is no package.json above this file.');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
