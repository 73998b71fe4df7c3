import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCaller } from '../../support/factories';
import { describeWithPython, pythonEnvironment } from '../../support/python';
import { temporaryFolder } from '../../support/temporary-folder';

const CLIENT = join(__dirname, '../../../clients/python');

/** The output of a Python program at the service of this worker; it says what failed. */
async function run(program: string, args: readonly string[]): Promise<{ code: unknown; output: string }> {
  const { url, key } = await createCaller({ freeQuota: 0, hasPaymentMethod: true });
  const env = pythonEnvironment({ MCS_URL: url, MCS_API_KEY: key, MCS_MEASURE: process.env['MCS_MEASURE'] ?? '' });
  return await new Promise((resolve) => {
    execFile(program, args, { cwd: CLIENT, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: `${stdout}${stderr}` }),
    );
  });
}

describeWithPython('The Python client', ['httpx', 'pytest'], (program) => {
  it('passes its tests, at the service too', async () => {
    const { code, output } = await run(program, ['-m', 'pytest', '-q', '-rs', 'tests']);
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
    expect(output).not.toContain('name no service');
  });
});

describe('The Python client', () => {
  it('has the types of the API document and is the same both ways; `npm run openapi:generate` writes it', () => {
    const folder = temporaryFolder();
    for (const part of ['types', 'sync'])
      execFileSync(process.execPath, [join(CLIENT, `generate-${part}.mjs`), folder]);
    for (const file of ['api_types.py', '_sync.py'])
      expect(readFileSync(join(CLIENT, 'src/model_comparison', file), 'utf8')).toBe(
        readFileSync(join(folder, file), 'utf8'),
      );
  });
});
