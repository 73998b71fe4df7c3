import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../cluster/support/program';
import { describeWith } from '../cluster/support/programs';
import { read } from '../conventions/docs.markdown';
import { temporaryFolder } from '../support/temporary-folder';
import { composeProblems, parseCompose } from './compose';

const text = read('docker-compose.yml');
const SECRETS = { POSTGRES_PASSWORD: 'x'.repeat(16), ADMIN_API_KEY: 'x'.repeat(16), API_KEY_PEPPER: 'x'.repeat(16) };

describe('docker-compose.yml', () => {
  it('fits the schema of Compose, the service, and the files of deploy/', () => {
    expect(composeProblems(text)).toEqual([]);
  });

  it.each([
    [
      'a member that Compose does not have',
      'restart: unless-stopped',
      'restarts: unless-stopped',
      /must NOT have (additional|unevaluated) properties.*restarts/,
    ],
    [
      'an unpinned image',
      /valkey\/valkey:8\S+/,
      'valkey/valkey:latest',
      /^valkey: the image valkey\/valkey:latest is not pinned/m,
    ],
    ['an image without a tag', /haproxy:3\S+/, 'haproxy', /^haproxy: the image haproxy is not pinned/m],
    [
      'a setting that does not exist',
      'DATABASE_PREPARE',
      'DATABASE_PREPARED',
      /^replica: DATABASE_PREPARED is no setting/m,
    ],
    [
      'a setting with a wrong value',
      'TRUST_PROXY: "1"',
      'TRUST_PROXY: "true"',
      /^replica: TRUST_PROXY: must not be true/m,
    ],
    ['a host that is no service', '@pgbouncer:6432', '@pooler:6432', /^replica: pooler cannot be reached/m],
    [
      'a host on another network',
      /(valkey-server.*\n)( +networks: )\[default, scale\]/,
      '$1$2[default]',
      /^replica: valkey cannot be reached/m,
    ],
    [
      'a file that does not exist',
      './deploy/haproxy.cfg',
      './deploy/ha.cfg',
      /^haproxy: \.\/deploy\/ha\.cfg does not exist/m,
    ],
    [
      'too little time to stop',
      /(init: true\n.*\n +stop_grace_period: )110s/,
      '$1105s',
      /^service: 105 s are not enough to stop, which can take 105 s/m,
    ],
    [
      'a HAProxy that ends before the last compare',
      /(told first.*\n +stop_grace_period: )110s/,
      '$130s',
      /^haproxy: 30 s are not enough/m,
    ],
    [
      'longer draining than the time to stop',
      'TRUST_PROXY: "1"',
      'DRAIN_SECONDS: "10"',
      /^replica: 110 s are not enough to stop, which can take 110 s/m,
    ],
    ['two replicas', 'replicas: 3', 'replicas: 2', /there are not three replicas/],
    [
      'replicas that HAProxy does not find',
      'aliases: [service]',
      'aliases: [services]',
      /service, service: not all of them are found/,
    ],
    ['another port of HAProxy', '127.0.0.1:8080:8080', '127.0.0.1:8080:80', /nothing listens on the port of HAProxy/],
    [
      'another port of metrics',
      'TRUST_PROXY: "1"',
      'TRUST_PROXY: "1"\n      PORT: "3001"',
      /Prometheus scrapes another port/,
    ],
    ['another port of PgBouncer', 'pgbouncer:6432', 'pgbouncer:5432', /PgBouncer does not listen on 5432/],
  ])('is refused with %s', (_mistake, from, to, problem) => {
    const mistaken = text.replace(from, to);
    expect(mistaken).not.toBe(text);
    expect(composeProblems(mistaken).join('\n')).toMatch(problem);
  });

  it('publishes every port on this machine only', () => {
    const ports = Object.values(parseCompose(text).services as Record<string, { ports?: string[] }>).flatMap(
      (service) => service.ports ?? [],
    );
    expect(ports.length).toBeGreaterThanOrEqual(4);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('starts one process and its database without a profile', () => {
    const services = Object.entries(parseCompose(text).services as Record<string, { profiles?: string[] }>);
    expect(services.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name)).toEqual([
      'postgres',
      'service',
    ]);
  });
});

describeWith(['docker-compose'], 'docker-compose', () => {
  /** The files in a folder without an .env of anybody. */
  const folder = (): string => {
    const copy = temporaryFolder();
    mkdirSync(join(copy, 'deploy'));
    cpSync(join(__dirname, '../../docker-compose.yml'), join(copy, 'docker-compose.yml'));
    return copy;
  };

  it.each([
    ['without a profile', []],
    ['with the profile scale', ['--profile', 'scale']],
  ])('understands the file %s', async (_which, profile) => {
    expect(
      await runProgram('docker-compose', [...profile, 'config', '--quiet'], { folder: folder(), variables: SECRETS }),
    ).toBe('');
  });

  it('asks for the secrets that have to be set', async () => {
    const config = runProgram('docker-compose', ['config', '--quiet'], {
      folder: folder(),
      variables: { ...SECRETS, API_KEY_PEPPER: '' },
    });
    await expect(config).rejects.toThrow('set API_KEY_PEPPER');
  });
});
