import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Api } from '../../support/api';
import { runCommand } from '../../support/command';
import { freshDatabase, onDatabase } from '../../support/database';
import { doctor } from '../../support/doctor';
import { createCaller } from '../../support/factories';
import { startService } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { worker } from '../../support/worker';

const NAME = `mcs_unusable_${process.env['JEST_WORKER_ID']}`;
const PASSWORD = 'p@ss/w:rd%é';

/** An empty database of another owner, and its address for a separate role with these settings. */
async function databaseFor(role: string, ...statements: string[]): Promise<{ url: string; ownerUrl: string }> {
  const ownerUrl = await freshDatabase(worker().postgresUrl, NAME);
  await onDatabase(ownerUrl, async (client) => {
    await client.query(`drop role if exists "${role}"`);
    await client.query(`create role "${role}" login password '${PASSWORD}'`);
    for (const statement of statements) await client.query(statement);
  });
  const url = Object.assign(new URL(ownerUrl), {
    username: encodeURIComponent(role),
    password: encodeURIComponent(PASSWORD),
  });
  return { url: url.toString(), ownerUrl };
}

async function refusalOf(variables: Record<string, string>): Promise<string> {
  return startService({ SIMULATOR: 'on', ...variables }).then(
    async (service) => {
      await service.stop();
      return 'It started.';
    },
    (error: Error) => error.message.replace(/^The service ended with (?:1|78) before it was ready:\n/, ''),
  );
}

afterAll(async () => {
  await onDatabase(worker().postgresUrl, (client) => client.query(`drop database if exists "${NAME}" with (force)`));
  for (const role of ['mcs unusable', 'mcs_reader', 'mcs_visitor'])
    await onDatabase(worker().postgresUrl, (client) => client.query(`drop role if exists "${role}"`));
});

describe('A DATABASE_URL that cannot be followed', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'words.pem'), 'words');

  // connection-string.spec.ts has the other sentences.
  it.each([
    [
      'postgresql://mcs:secret%zz@host/mcs',
      'contains a "%" that is not followed by two hexadecimal digits; it has to be written as %25',
    ],
    [
      `postgresql://mcs:secret@host/mcs?sslmode=verify-ca&sslrootcert=${folder}/words.pem`,
      'the file of sslrootcert holds no certificate in PEM format',
    ],
  ])('stops the start, every command and the doctor with the same sentence: %s', async (DATABASE_URL, sentence) => {
    expect(await refusalOf({ DATABASE_URL })).toBe(`The configuration is not usable:\n  - DATABASE_URL: ${sentence}`);
    expect(await runCommand('migrate', { DATABASE_URL })).toEqual({
      status: 1,
      output: `The configuration is not usable:\n  - DATABASE_URL: ${sentence}`,
    });
    const { exitCode, of } = await doctor({ DATABASE_URL });
    expect([exitCode, of('settings')]).toEqual([1, `broken: DATABASE_URL: ${sentence}`]);
  });

  it.each([[[]], [['--create']]])(
    'is given up by a migration when what listens there never says a word (%j)',
    async (args) => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      try {
        const DATABASE_URL = `postgresql://mcs:secret@127.0.0.1:${(silent.address() as AddressInfo).port}/mcs`;
        expect(await runCommand('migrate', { DATABASE_URL }, args)).toEqual({
          status: 1,
          output: 'DATABASE_URL: the database does not answer, or broke the connection.',
        });
      } finally {
        silent.close();
      }
    },
  );

  it('is none because of a percent-encoded name and password', async () => {
    const { url } = await databaseFor('mcs unusable', 'grant create on schema public to "mcs unusable"');
    const service = await startService({ DATABASE_URL: url, MIGRATE_ON_START: 'true', SIMULATOR: 'on' });
    try {
      expect(
        (await (await createCaller({ at: service.url })).compare({ prompt: 'encoded', models: ['sim-swift'] })).status,
      ).toBe(200);
      expect((await doctor({ DATABASE_URL: url })).of('schema')).toMatch(/^ok/);
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });
});

describe('A database in which migrations cannot be applied', () => {
  const VISITOR = 'DATABASE_URL: this user may not create tables in the schema; migrate as the owner of the database.';

  it('stops the start and the command with one sentence where the role may not create tables, and the doctor says so', async () => {
    const { url } = await databaseFor('mcs_visitor', 'revoke create on schema public from public');
    expect(await refusalOf({ DATABASE_URL: url, MIGRATE_ON_START: 'true' })).toBe(VISITOR);
    expect(await runCommand('migrate', { DATABASE_URL: url })).toEqual({ status: 1, output: VISITOR });
    const { of } = await doctor({ DATABASE_URL: url, MIGRATE_ON_START: 'true' });
    expect(of('privileges')).toBe(
      'broken: The role mcs_visitor may not create tables in the schema public, so MIGRATE_ON_START cannot apply a migration.',
    );
  });

  it('stops them with one sentence where it only reads', async () => {
    const { url } = await databaseFor(
      'mcs_reader',
      'alter role mcs_reader set default_transaction_read_only = on',
      'grant create on schema public to mcs_reader',
    );
    const sentence = 'DATABASE_URL: the database only reads; is it a standby, or is default_transaction_read_only on?';
    expect(await refusalOf({ DATABASE_URL: url, MIGRATE_ON_START: 'true' })).toMatch(
      new RegExp(`\\n${sentence.replaceAll('?', '\\?')}$`),
    );
    expect(await runCommand('migrate', { DATABASE_URL: url })).toEqual({ status: 1, output: sentence });
    expect((await doctor({ DATABASE_URL: url })).of('database')).toMatch(/^broken: Postgres .* only reads/);
  });

  it('stops them with one sentence where something of a pending migration is there already, and changes nothing', async () => {
    const { ownerUrl } = await databaseFor('mcs_visitor');
    await onDatabase(ownerUrl, (client) => client.query('create table shares (id text)'));
    const sentence =
      'DATABASE_URL: the database already has something that a pending migration makes; it is half migrated, or belongs to another program. Nothing was changed; `npm run doctor` says what is missing.';
    expect(await refusalOf({ DATABASE_URL: ownerUrl, MIGRATE_ON_START: 'true' })).toBe(sentence);
    expect(await runCommand('migrate', { DATABASE_URL: ownerUrl })).toEqual({ status: 1, output: sentence });
    const { rows } = await onDatabase(ownerUrl, (client) =>
      client.query<{ tablename: string }>("select tablename from pg_tables where schemaname = 'public' order by 1"),
    );
    // The list itself, still empty, is all that is new.
    expect(rows.map(({ tablename }) => tablename)).toEqual(['migrations', 'shares']);
    expect((await onDatabase(ownerUrl, (client) => client.query('select from migrations'))).rowCount).toBe(0);
  });
});

describe('A service whose database only reads', () => {
  it('says so in its log, refuses compares before any model is called, and answers reads', async () => {
    const { url, ownerUrl } = await databaseFor('mcs_reader');
    expect(await runCommand('migrate', { DATABASE_URL: ownerUrl })).toMatchObject({ status: 0 });
    await onDatabase(ownerUrl, (client) =>
      client.query('grant select, insert, update, delete on all tables in schema public to mcs_reader'),
    );
    const writing = await startService({ DATABASE_URL: url, SIMULATOR: 'on' });
    const { key } = await createCaller({ at: writing.url });
    expect(await writing.stop()).toBe(0);
    await onDatabase(ownerUrl, (client) =>
      client.query('alter role mcs_reader set default_transaction_read_only = on'),
    );
    const service = await startService({ DATABASE_URL: url, SIMULATOR: 'on' });
    try {
      const caller = new Api(key, service.url);
      const { status, body } = await caller.post('/api/v1/compare', { prompt: 'not stored', models: ['sim-swift'] });
      expect([status, body.error.code]).toEqual([503, 'unavailable']);
      expect((await caller.get('/api/v1/evals')).status).toBe(200);
      expect(await fetch(`${service.url}/metrics`).then((answer) => answer.text())).not.toMatch(
        /gen_ai_client_operation_duration_seconds_count\{/,
      );
    } finally {
      await service.stop();
    }
    expect(
      service
        .output()
        .match(
          /"msg":"the database is read-only, so compares are refused until it accepts writes; is it a standby, or is default_transaction_read_only on\?"/g,
        ),
    ).toHaveLength(1);
  });
});

describe('A service whose clock is ten minutes off', () => {
  it('says so in its log, and a right one does not', async () => {
    const output = async (variables: Record<string, string>) => {
      const service = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', ...variables });
      await service.stop();
      return service.output();
    };
    const at = (minutes: number) => ({ TEST_CLOCK: new Date(Date.now() + minutes * 60_000).toISOString() });
    expect(await output(at(10))).toContain(
      'The clock of this machine is 10 min ahead of that of the database; evals get wrong times',
    );
    expect(await output(at(-10))).toContain(
      'The clock of this machine is 10 min behind that of the database; evals get wrong times',
    );
    expect(await output({})).not.toContain('The clock of this machine');
  });
});
