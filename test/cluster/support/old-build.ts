import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileOf, type Release } from '../../support/releases';

const ROOT = join(__dirname, '../../..');
const LOCK = 'package-lock.json';

/** The tables and data of 0.2.0, and the key of their only user. */
export const DATABASE_0_2_0 = readFileSync(join(ROOT, 'test/support/fixtures/database-0.2.0.sql'), 'utf8');
export const KEY_0_2_0 = 'mcs_JlaDrzrORhmc1YJmhSxSvmnf8YMkGn1UzplV';

/** The main file of a release's server, built from its commit with its libraries. Later runs find it, once it is whole. */
export function oldBuild(release: Release): string {
  const folder = `node_modules/.cache/old-builds/${release.commit}`;
  const [own, its] = [readFileSync(join(ROOT, LOCK), 'utf8'), fileOf(release, LOCK)].map(librariesOf);
  const steps = [
    `rm -rf ${folder}.new && mkdir -p ${folder}.new && git archive ${release.commit} | tar -x -C ${folder}.new && cd ${folder}.new`,
    own === its
      ? 'ln -s ../../.. node_modules'
      : 'npm ci --prefix . --omit=dev --omit=optional --ignore-scripts --prefer-offline --no-audit --no-fund',
    // The release was checked when it was made, and types of its tools are not installed.
    '../../../.bin/tsc --noCheck',
    // For the other files: the compiler leaves them out.
    "cp -r src dist && find dist -name '*.ts*' -delete",
    `cd .. && mv ${release.commit}.new ${release.commit}`,
  ];
  if (!existsSync(join(ROOT, folder)))
    execFileSync('sh', ['-c', steps.join(' && ')], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(ROOT, folder, 'dist/src/main.js');
}

/** The content of a lock file without the version of the service itself. */
function librariesOf(lock: string): string {
  const { packages } = JSON.parse(lock) as { packages: Record<string, object> };
  return JSON.stringify({ ...packages, '': { ...packages[''], version: undefined } });
}
