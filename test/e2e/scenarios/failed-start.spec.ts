import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { workerVariables } from '../../support/redis';
import { END_WITH_PARENT, PROGRAM_VARIABLES, TEST_SECRETS } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { worker } from '../../support/worker';

const MAIN = join(__dirname, '../../../dist/src/main.js');

/** Starts the service in a separate folder, which must fail; returns its output. */
async function failedStart(variables: Record<string, string>, cwd = temporaryFolder()): Promise<string> {
  return (await failedStartOf(variables, cwd)).said;
}

/** The same with its exit status. */
async function failedStartOf(
  variables: Record<string, string>,
  cwd = temporaryFolder(),
): Promise<{ code: number; said: string }> {
  const env = {
    ...PROGRAM_VARIABLES,
    PORT: '0',
    SIMULATOR: 'on',
    LOG_LEVEL: 'info',
    ...(await workerVariables(variables['WEB_CONCURRENCY'] ?? 1)),
    ...variables,
  };
  const child = spawn(process.execPath, [...END_WITH_PARENT, MAIN], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const [out, err, [code]] = (await Promise.all([text(child.stdout), text(child.stderr), exited])) as [
    string,
    string,
    [number],
  ];
  expect([1, 78]).toContain(code);
  expect(out + err).not.toMatch(/\n\s+at /);
  // A busy machine may make Redis late, which the service logs.
  return { code, said: (out.replace(/^\{.*("level":"info"|the store of the rate limits).*\n/gm, '') + err).trim() };
}

const usual = (variables: Record<string, string>) => ({
  DATABASE_URL: worker().databaseUrl,
  ...TEST_SECRETS,
  ...variables,
});

function fileOf(content: string): string {
  const file = join(temporaryFolder(), 'models.json');
  writeFileSync(file, content);
  return file;
}

const NOWHERE = Object.assign(new URL(worker().databaseUrl), { pathname: '/nowhere' }).toString();
const NO_DATABASE =
  'DATABASE_URL: there is no database of that name; mend the name, or create the database with `npm run db:migrate -- --create`.';

describe('A start that fails', () => {
  // systemd does not start it again after 78.
  it.each([
    [
      1,
      'a host that is not this machine',
      { HOST: '192.0.2.1' },
      'HOST: this machine has no address 192.0.2.1; set it to one of its own, or to 0.0.0.0 for all of them.',
    ],
    [
      1,
      'a host that nobody knows',
      { HOST: 'nowhere.invalid' },
      'HOST: no address is known for nowhere.invalid; set it to an address of this machine, or to 0.0.0.0 for all of them.',
    ],
    [
      78,
      'a catalog that is not there',
      { MODEL_CATALOG_FILE: 'nowhere.json' },
      'The model catalog is invalid:\n  - MODEL_CATALOG_FILE: names a file that is not there',
    ],
    [
      78,
      'a catalog without an end',
      { MODEL_CATALOG_FILE: '/dev/zero' },
      'The model catalog is invalid:\n  - MODEL_CATALOG_FILE: names something that is not a file',
    ],
    [
      78,
      'a margin in percent',
      { BILLING_MARGIN: '40' },
      'The configuration is not usable:\n  - BILLING_MARGIN: must be at most 5, which charges six times the cost; 0.4 means 40 percent',
    ],
    [
      78,
      'workers without Redis',
      { WEB_CONCURRENCY: '2', REDIS_URL: '' },
      'The configuration is not usable:\n  - REDIS_URL: is missing, and needed with WEB_CONCURRENCY above 1, whose processes share their rate limits in it',
    ],
    [
      78,
      'a setting that is wrong',
      { EVAL_TIMEOUT_MS: 'long' },
      'The configuration is not usable:\n  - EVAL_TIMEOUT_MS: must be a number',
    ],
    [
      1,
      'a database where nobody listens',
      { DATABASE_URL: 'postgresql://mcs:pa55word@127.0.0.1:1/mcs' },
      'DATABASE_URL: nothing listens at its host and port; is Postgres running there?',
    ],
    [
      1,
      'the same, with workers',
      { DATABASE_URL: 'postgresql://mcs:pa55word@127.0.0.1:1/mcs', WEB_CONCURRENCY: '3' },
      'DATABASE_URL: nothing listens at its host and port; is Postgres running there?',
    ],
    [
      1,
      'the same, with workers of which the first one migrates',
      { DATABASE_URL: 'postgresql://mcs:pa55word@127.0.0.1:1/mcs', WEB_CONCURRENCY: '3', MIGRATE_ON_START: 'true' },
      'DATABASE_URL: nothing listens at its host and port; is Postgres running there?',
    ],
    [
      1,
      'a host that is not this machine, with workers',
      { HOST: '192.0.2.1', WEB_CONCURRENCY: '3' },
      'HOST: this machine has no address 192.0.2.1; set it to one of its own, or to 0.0.0.0 for all of them.',
    ],
    [78, 'a database of another name', { DATABASE_URL: NOWHERE }, NO_DATABASE],
    [78, 'a database of another name, with workers', { DATABASE_URL: NOWHERE, WEB_CONCURRENCY: '2' }, NO_DATABASE],
  ])('ends with %i and names the setting in one sentence for %s', async (code, _, variables, said) => {
    expect(await failedStartOf(usual(variables))).toEqual({ code, said });
  });

  it('names the setting in one sentence for a port that is in use, with and without workers', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      for (const WEB_CONCURRENCY of ['1', '2']) {
        expect(await failedStart(usual({ PORT: `${port}`, WEB_CONCURRENCY }))).toBe(
          `Port ${port} is in use; set PORT to another one.`,
        );
      }
    } finally {
      other.close();
    }
  });

  it('names the setting in one sentence for a catalog that is no JSON, and for one with a wrong model', async () => {
    expect(await failedStart(usual({ MODEL_CATALOG_FILE: fileOf('{') }))).toBe(
      'The model catalog is invalid:\n  - MODEL_CATALOG_FILE: is not valid JSON',
    );
    expect(await failedStart(usual({ MODEL_CATALOG_FILE: fileOf('[{"id": "mine"}]') }))).toMatch(
      /^The model catalog is invalid:\n {2}- mine[^\n]*: /,
    );
  });

  it('names the file and what it has to hold for a catalog that is no list', async () => {
    const file = fileOf('{"models": []}');
    expect(await failedStart(usual({ MODEL_CATALOG_FILE: file }))).toBe(
      `The model catalog is invalid:\n  - MODEL_CATALOG_FILE: ${file} has to hold a list of models, such as [{"id": "my-model", …}]`,
    );
  });

  it('warns before it of implausible settings, once for all processes', async () => {
    const output = await failedStart(
      usual({
        DATABASE_URL: 'postgresql://mcs@127.0.0.1:1/mcs',
        WEB_CONCURRENCY: '2',
        MODEL_TIMEOUT_MS: '60',
        FREE_QUOTA: '5',
        ADMIN_API_KEY: 'short-0123456789',
      }),
    );
    expect(
      output
        .split('\n')
        .filter((line) => line.includes('"level":"warn"'))
        .map((line) => JSON.parse(line).msg as string),
    ).toEqual([
      'FREE_QUOTA is not read since version 0.2.0; it is FREE_EVALS_PER_MONTH now.',
      'ADMIN_API_KEY has fewer than 24 characters, which may be guessed; `openssl rand -hex 32` makes a good one.',
      'MODEL_TIMEOUT_MS is 60 milliseconds; if 60 seconds are meant, it has to be 60000.',
    ]);
  });

  it('names the setting in one sentence for a .env that cannot be read', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.env'));
    expect(await failedStart(usual({}), folder)).toBe(
      'The configuration is not usable:\n  - .env: cannot be read; is it a file, and may this user read it?',
    );
  });

  it('names the setting in one sentence for a local folder that cannot be used', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.local'), 'a file');
    expect(await failedStart({}, folder)).toMatch(
      /secrets\.json cannot be read \(ENOTDIR\); make it readable, or set ADMIN_API_KEY and API_KEY_PEPPER\.$/,
    );
    expect(await failedStart(TEST_SECRETS, folder)).toMatch(
      /^No local Postgres: [^\n]+\nSet DATABASE_URL to use another Postgres instead\.$/,
    );
    const other = temporaryFolder();
    mkdirSync(join(other, '.local'));
    writeFileSync(join(other, '.local/secrets.json'), '{"ADMIN_API_KEY": 1}');
    expect(await failedStart({}, other)).toMatch(
      /secrets\.json does not hold the secrets that the service wrote there; restore it, or set ADMIN_API_KEY and API_KEY_PEPPER\./,
    );
  });
});
