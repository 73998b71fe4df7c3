import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from '../../support/api';
import { endAfterTests } from '../../support/cleanup';
import { runCommand } from '../../support/command';
import { freePort } from '../../support/free-port';
import { endPostgresAfterThisProcess } from '../../support/postgres-guard';
import { workerVariables } from '../../support/redis';
import { END_WITH_PARENT, PROGRAM_VARIABLES } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';

const MAIN = join(__dirname, '../../../dist/src/main.js');

/** Starts the service as a newcomer does: in a new folder, without settings but those of the test. */
function start(folder: string, variables: Record<string, string> = {}) {
  const child = spawn(process.execPath, [...END_WITH_PARENT, MAIN], {
    cwd: folder,
    env: { ...PROGRAM_VARIABLES, PORT: '0', ...variables },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
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
  endAfterTests(() => end('SIGKILL'));
  return { url, output: () => output, end };
}

/** Where the database of a folder lives. */
function homeOf(folder: string): string {
  const inside = join(folder, '.local/postgres');
  const outside = join(inside, 'outside');
  return realpathSync(existsSync(outside) ? outside : inside);
}

/**
 * Once the folder has a database: makes sure that it ends with the tests, and leaves nothing where it lives when that
 * is elsewhere.
 */
function endDatabaseOf(folder: string): void {
  const home = homeOf(folder);
  const guard = endPostgresAfterThisProcess(join(home, 'data'));
  endAfterTests(async () => {
    await guard.end();
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
}

describe('The first run without any configuration', () => {
  it('serves a demo user, keeps the data, survives kill -9, and shows the key once', async () => {
    const folder = temporaryFolder();
    const first = start(folder);
    const url = await first.url();
    endDatabaseOf(folder);
    const key = /Demo key +(mcs_\w+)/.exec(first.output())?.[1];
    expect(first.output()).toContain(`  Page            ${url}/#key=${key}   (open it: the link signs in)`);
    expect(first.output()).toContain('its answers are simulated');
    expect(first.output()).toMatch(/Swagger UI +http/);
    expect(first.output()).toMatch(/Margin +40 percent on top of what vendors charge \(BILLING_MARGIN\)/);
    const pasted = /^curl .*$/m.exec(first.output())?.[0] ?? '';
    const answer = JSON.parse(execFileSync('sh', ['-c', pasted], { encoding: 'utf8' })) as { eval_id: string };
    const { models } = (await new Api(key, url).get('/api/v1/models')).body as { models: { provider: string }[] };
    expect(models.map(({ provider }) => provider)).toEqual(Array(4).fill('simulator'));
    for (const path of ['/', '/docs']) expect((await fetch(url + path)).status).toBe(200);
    const compared = await new Api(key, url).get(`/api/v1/evals/${answer.eval_id}`);
    expect(compared.body).toEqual(answer);
    await first.end('SIGKILL');

    const second = start(folder);
    const again = new Api(key, await second.url());
    expect(second.output()).not.toMatch(/Demo key|mcs_/);
    const [, port, another = ''] =
      /^ +Another key +PORT=(\d+) npm run admin -- (keys issue .*?) {3}/m.exec(second.output()) ?? [];
    const issued = await runCommand(
      'admin',
      { ADMIN_API_KEY: '', API_KEY_PEPPER: '', PORT: port ?? '' },
      another.split(' '),
      { cwd: folder },
    );
    expect(
      (await new Api(/^api_key\t(mcs_\w+)$/m.exec(issued.output)?.[1], `http://127.0.0.1:${port}`).get('/api/v1/usage'))
        .body.eval_count,
    ).toBe(1);
    expect((await again.get(`/api/v1/evals/${answer.eval_id}`)).text).toBe(compared.text);
    await second.end('SIGTERM');

    const third = start(folder);
    expect((await new Api(key, await third.url()).get('/api/v1/usage')).body.eval_count).toBe(1);
    const fourth = start(folder);
    await fourth.url();
    await third.end('SIGINT');
    // It has the database that the third one has started.
    expect((await new Api(key, await fourth.url()).compare({ prompt: 'Hello', models: ['sim-swift'] })).status).toBe(
      200,
    );
    await fourth.end('SIGTERM');
    expect(existsSync(join(homeOf(folder), 'data/postmaster.pid'))).toBe(false);
  });

  it('begins again without its folder, at the port that is asked for', async () => {
    const [folder, port, keys] = [temporaryFolder(), await freePort(), new Set([''])];
    for (const round of [1, 2]) {
      const service = start(folder, { PORT: String(port) });
      expect(await service.url()).toBe(`http://127.0.0.1:${port}`);
      endDatabaseOf(folder);
      expect(keys.add(/Demo key +(mcs_\w+)/.exec(service.output())?.[1] ?? '').size).toBe(round + 1);
      await service.end('SIGTERM');
      rmSync(join(folder, '.local'), { recursive: true });
    }
  });

  it('lets npm run admin find the service and the admin key of this folder, and ends with its terminal', async () => {
    const folder = temporaryFolder();
    const service = start(folder);
    const url = await service.url();
    endDatabaseOf(folder);
    const variables = { ADMIN_API_KEY: '', API_KEY_PEPPER: '', PORT: new URL(url).port };
    const admin = (...args: string[]) => runCommand('admin', variables, args, { cwd: folder });
    const created = await admin('users', 'create', 'first@example.com', '--json');
    const issued = await admin('keys', 'issue', JSON.parse(created.output).id, '--name', 'first');
    const [, key] = /^api_key\t(mcs_\w+)$/m.exec(issued.output) ?? [];
    expect((await new Api(key, url).compare({ prompt: 'Hello', models: ['sim-swift'] })).status).toBe(200);
    await service.end('SIGHUP');
    expect(existsSync(join(homeOf(folder), 'data/postmaster.pid'))).toBe(false);
    expect(await admin('users', 'list')).toEqual({
      status: 1,
      output: `mcs: No connection to ${url}. (connection_failed)`,
    });
  });

  it('serves from several processes with WEB_CONCURRENCY, which share one database, show the demo key once and end it with them', async () => {
    const folder = temporaryFolder();
    const first = start(folder, await workerVariables(2));
    const url = await first.url();
    endDatabaseOf(folder);
    const keys = [...first.output().matchAll(/Demo key +(mcs_\w+)/g)];
    expect(keys).toHaveLength(1);
    const api = new Api(keys[0]?.[1], url);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => api.compare({ prompt: 'Hello', models: ['sim-swift'] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect((await api.get('/api/v1/usage')).body).toMatchObject({ eval_count: 12, free_evals_remaining: 88 });
    await first.end('SIGTERM');
    expect(existsSync(join(homeOf(folder), 'data/postmaster.pid'))).toBe(false);
  });
});
