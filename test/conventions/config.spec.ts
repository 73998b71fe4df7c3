import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config, environment } from '../../src/common/config';

const ROOT = join(__dirname, '../..');
const names = Object.keys(environment.shape).sort();

describe('the configuration', () => {
  it('is listed whole in .env.example', () => {
    const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
    expect([...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name).sort()).toEqual(names);
  });

  it('is listed whole in the README', () => {
    const section = readFileSync(join(ROOT, 'README.md'), 'utf8').split('## Configuration')[1]?.split('\n## ')[0] ?? '';
    const listed = section.split('\n').filter((line) => line.startsWith('|')).flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([A-Z][A-Z0-9_]+)`/g)]);
    expect(listed.map(([, name]) => name).sort()).toEqual(names);
  });

  it('gives a container more time to stop than the defaults in production can take', () => {
    const grace = /stop_grace_period: (\d+)s/.exec(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'))?.[1];
    const { EVAL_TIMEOUT_MS, drainMs } = Config.read({ NODE_ENV: 'production', SIMULATOR: 'on', DATABASE_URL: 'postgresql://db/mcs', ADMIN_API_KEY: 'x'.repeat(16), API_KEY_PEPPER: 'x'.repeat(16) });
    expect(Number(grace) * 1000).toBeGreaterThan(EVAL_TIMEOUT_MS + drainMs + 10_000);
  });

  it('stops a start in production with the name of each missing variable, and shows no value', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'dist/src/main.js')], {
      encoding: 'utf8', env: { NODE_ENV: 'production', ADMIN_API_KEY: 'too-short-secret', PORT: 'my-secret-port' },
    });
    expect(status).toBe(1);
    for (const name of ['DATABASE_URL', 'API_KEY_PEPPER', 'PORT']) expect(stderr).toContain(name);
    expect(stderr).not.toMatch(/my-secret-port|too-short-secret/);
  });
});
