import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from '../support/api';

const MAIN = join(__dirname, '../../dist/src/main.js');

/** Starts the service as a newcomer does: no settings at all, in a folder of its own. */
function start(folder: string) {
  const child = spawn(process.execPath, [MAIN], { cwd: folder, env: { PATH: process.env['PATH'], PORT: '0' }, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = once(child, 'exit');
  const url = async () => {
    for (;;) {
      const ready = /ready at (http:\S+)/.exec(output)?.[1];
      if (ready !== undefined && output.endsWith('\n\n')) return ready;
      if (child.exitCode !== null) throw new Error(output);
      await Promise.race([once(child.stderr, 'data'), exited]);
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return { url, output: () => output, end };
}

describe('a fresh machine without any configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcs-fresh-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('serves a demo user from the first start, keeps the data, survives kill -9, and shows the key once', async () => {
    const first = start(folder);
    const url = await first.url();
    const key = /Demo key +(mcs_\w+)/.exec(first.output())?.[1];
    expect(first.output()).toContain('the outputs of its models are made up');
    expect(first.output()).toMatch(/Swagger UI +http/);
    const pasted = /^curl .*$/m.exec(first.output())?.[0] ?? '';
    const answer = JSON.parse(execFileSync('sh', ['-c', pasted], { encoding: 'utf8' })) as { eval_id: string };
    const compared = await new Api(key, url).get(`/api/v1/evals/${answer.eval_id}`);
    expect(compared.body).toEqual(answer);
    await first.end('SIGKILL');

    const second = start(folder);
    const again = new Api(key, await second.url());
    expect(second.output()).not.toContain('Demo key');
    expect((await again.get(`/api/v1/evals/${answer.eval_id}`)).text).toBe(compared.text);
    await second.end('SIGTERM');

    const third = start(folder);
    expect((await new Api(key, await third.url()).get('/api/v1/usage')).body.eval_count).toBe(1);
    await third.end('SIGINT');
  });
});
