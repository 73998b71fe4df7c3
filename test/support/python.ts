import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const PROGRAM = '/usr/bin/python3';
const CLIENT = join(__dirname, '../../clients/python');

/** The environment of a Python program that uses the client of this repository. */
export function pythonEnvironment(
  variables: Record<string, string | undefined> = {},
): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], PYTHONPATH: join(CLIENT, 'src'), PYTHONDONTWRITEBYTECODE: '1', ...variables };
}

/** `describe` where Python has these modules; elsewhere the suite is skipped, and its name says why. */
export function describeWithPython(name: string, modules: readonly string[], suite: (program: string) => void): void {
  const has = spawnSync(PROGRAM, ['-c', `import ${modules.join(', ')}`]).status === 0;
  (has ? describe : describe.skip)(has ? name : `${name} (needs Python with ${modules.join(', ')})`, () =>
    suite(PROGRAM),
  );
}
