import { join } from 'node:path';
import type { run as runProgram } from '../../src/clients/cli/program';
import type { Output, System } from '../../src/clients/cli/system';
import type { Json } from './api';
import { TEST_SECRETS } from './service';
import { worker } from './worker';

/** The built command line, whose commands are loaded by the names that the build gives them. */
const PROGRAM = join(__dirname, '../../dist/src/clients/cli/program.js');

/** The exit code and the output of a command. */
export interface Ended {
  code: number;
  out: string;
  errors: string;
}

/** Runs `mcs admin ARGS` in this process, for the service of this worker unless the variables name another. */
export async function admin(
  args: readonly string[],
  environment: Record<string, string> = {},
  machine: Partial<System> = {},
): Promise<Ended> {
  const { run } = (await import(PROGRAM)) as { run: typeof runProgram };
  const [out, errors] = [captured(), captured()];
  const system = {
    environment: { MCS_URL: worker().serviceUrl, MCS_ADMIN_KEY: TEST_SECRETS.ADMIN_API_KEY, ...environment },
    out,
    errors,
    configFolder: '/nowhere',
    readPrivateFile: () => undefined,
    isInputTerminal: false,
    ...machine,
  };
  const code = await run(['admin', ...args], system as System);
  return { code, out: out.text, errors: errors.text };
}

/** The result of a command that succeeds, by `--json`. */
export async function adminJson(...args: string[]): Promise<Json> {
  const { code, out, errors } = await admin([...args, '--json']);
  if (code !== 0) throw new Error(errors);
  return JSON.parse(out);
}

function captured(): Output & { text: string } {
  return {
    isTerminal: false,
    columns: 80,
    rows: 24,
    text: '',
    write(more) {
      this.text += more;
    },
  };
}
