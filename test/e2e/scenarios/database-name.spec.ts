import { runCommand } from '../../support/command';
import { freshDatabase, onDatabase } from '../../support/database';
import { createCaller } from '../../support/factories';
import { freePort } from '../../support/free-port';
import { startService } from '../../support/service';
import { startTcpProxy } from '../../support/tcp-proxy';
import { worker } from '../../support/worker';

const MISSING = `mcs_missing_${process.env['JEST_WORKER_ID']}`;
const NO_DATABASE =
  'DATABASE_URL: there is no database of that name; mend the name, or create the database with `npm run db:migrate -- --create`.';

/** The address of this worker's Postgres, changed by `change`. */
function address(change: (url: URL) => void): string {
  const url = new URL(worker().postgresUrl);
  change(url);
  return url.toString();
}

async function exists(name: string): Promise<boolean> {
  return onDatabase(
    worker().postgresUrl,
    async (client) => (await client.query('select from pg_database where datname = $1', [name])).rowCount === 1,
  );
}

async function refusalOf(variables: Record<string, string>): Promise<string> {
  return startService({ SIMULATOR: 'on', DATABASE_TIMEOUT_MS: '2000', ...variables }).then(
    async (service) => {
      await service.stop();
      return 'It started.';
    },
    (error: Error) => error.message,
  );
}

describe('A missing database', () => {
  const DATABASE_URL = address((url) => {
    url.pathname = `/${MISSING}`;
  });
  beforeEach(async () =>
    onDatabase(worker().postgresUrl, async (client) =>
      client.query(`drop database if exists "${MISSING}" with (force)`),
    ),
  );

  it.each(['true', 'false'])(
    'stops the start with one sentence and is not created, with MIGRATE_ON_START=%s',
    async (migrates) => {
      expect(await refusalOf({ DATABASE_URL, MIGRATE_ON_START: migrates })).toBe(
        `The service ended with 78 before it was ready:\n${NO_DATABASE}`,
      );
      expect(await exists(MISSING)).toBe(false);
    },
  );

  it.each(['migrate', 'ledger-verify', 'evals-restore'])(
    'is reported by the command %s, and not created',
    async (command) => {
      expect(await runCommand(command, { DATABASE_URL }, command === 'evals-restore' ? ['/dev/null'] : [])).toEqual({
        status: 1,
        output: NO_DATABASE,
      });
      expect(await exists(MISSING)).toBe(false);
    },
  );

  it('is created by `migrate -- --create`, which leaves an existing one alone', async () => {
    const first = await runCommand('migrate', { DATABASE_URL }, ['--create']);
    expect(first).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^The database is created\.\nApplied: .*initial_schema/),
    });
    expect(await runCommand('migrate', { DATABASE_URL }, ['--create'])).toMatchObject({
      status: 0,
      output: expect.stringContaining('The database is up to date.'),
    });
    expect(await exists(MISSING)).toBe(true);
  });

  it('is not looked for where the name is an alias of a pooler', async () => {
    const asked: string[] = [];
    const front = await startTcpProxy(await freshDatabase(worker().postgresUrl, 'mcs_name'));
    front.server.on('connection', (client) => {
      const database = front.connectToDatabase();
      client.once('data', (start) => {
        asked.push(/database\0(.*?)\0/.exec(start.toString('latin1'))?.[1] ?? '');
        // Of the same length, because the message says how long it is.
        database.write(Buffer.from(start.toString('latin1').replace('mcs_nick', 'mcs_name'), 'latin1'));
        client.pipe(database);
      });
      database.pipe(client);
      for (const [socket, other] of [
        [client, database],
        [database, client],
      ] as const)
        socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    });
    const service = await startService({
      DATABASE_URL: front.url.replace('mcs_name', 'mcs_nick'),
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
    });
    try {
      const caller = await createCaller({ at: service.url });
      expect((await caller.compare({ prompt: 'by another name', models: ['sim-swift'] })).status).toBe(200);
      expect([...new Set(asked)]).toEqual(['mcs_nick']);
    } finally {
      expect(await service.stop()).toBe(0);
      front.server.close();
    }
  });
});

describe('A database that rejects the service', () => {
  it.each<[string, (url: URL) => void, string]>([
    [
      'a wrong password',
      (url) => {
        url.password = 'pa55word';
      },
      'DATABASE_URL: the server does not accept this user and password.',
    ],
    [
      'a user that does not exist',
      (url) => {
        url.username = 'nobody';
        url.password = 'pa55word';
      },
      'DATABASE_URL: the server does not accept this user and password.',
    ],
    [
      'a host that is not known',
      (url) => {
        url.hostname = 'database.invalid';
      },
      'DATABASE_URL: its host is not known.',
    ],
    [
      'a port where nothing listens',
      (url) => {
        url.port = String(closedPort);
      },
      'DATABASE_URL: nothing listens at its host and port; is Postgres running there?',
    ],
  ])('stops the start with one sentence because of %s', async (_, change, sentence) => {
    expect(
      (await refusalOf({ DATABASE_URL: address(change) })).replace(
        /^The service ended with \d+ before it was ready:\n/,
        '',
      ),
    ).toBe(sentence);
    expect(await runCommand('migrate', { DATABASE_URL: address(change) })).toEqual({ status: 1, output: sentence });
  });

  let closedPort: number;
  beforeAll(async () => {
    closedPort = await freePort();
  });
});

describe('A database on another machine', () => {
  const PRODUCTION = { NODE_ENV: 'production', LOG_LEVEL: 'warn' };

  it('leaves one warning in production without sslmode, and none elsewhere or with sslmode', async () => {
    const warnings = async (variables: Record<string, string>) =>
      [...(await refusalOf(variables)).matchAll(/"level":"?(40|warn)"?.*DATABASE_URL has no sslmode/g)].length;
    expect(await warnings({ ...PRODUCTION, DATABASE_URL: 'postgresql://mcs@database.invalid/mcs' })).toBe(1);
    expect(
      await warnings({ ...PRODUCTION, DATABASE_URL: 'postgresql://mcs@database.invalid/mcs?sslmode=disable' }),
    ).toBe(0);
    expect(await warnings({ LOG_LEVEL: 'warn', DATABASE_URL: 'postgresql://mcs@database.invalid/mcs' })).toBe(0);
  });
});
