import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import shipped from '../../../src/modules/models/catalog.json';
import { TRIGGERS } from '../../../src/commands/doctor/schema';
import { aCertificate, aCertificateAuthority } from '../../support/certificates';
import { runCommand } from '../../support/command';
import { onDatabase } from '../../support/database';
import { doctor } from '../../support/doctor';
import { freePort } from '../../support/free-port';
import { OwnPostgres } from '../../support/own-postgres';
import { describeWithRedis, workerVariables } from '../../support/redis';
import { RedisServer } from '../../support/redis-server';
import { TEST_SECRETS } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const NAMES = [
  'versions',
  'settings',
  'database',
  'tls',
  'pooler',
  'timeouts',
  'schema',
  'privileges',
  'durability',
  'connections',
  'clock',
  'experiments',
  'redis',
  'vendors',
  'catalog',
];
const PASSWORD = 'p@ss/w:rd%é';

describe('npm run doctor', () => {
  let postgres: OwnPostgres;
  /** As superuser, and as the owner of the database. */
  let adminUrl: string;
  let url: string;

  beforeAll(async () => {
    postgres = await OwnPostgres.start('doctor');
    adminUrl = await postgres.database('mcs_doctor');
    // Leftovers of an earlier run.
    await asAdmin('drop database if exists mcs_doctor_empty', 'drop role if exists "the owner", reader');
    await asAdmin(
      `create role "the owner" login password '${PASSWORD}'`,
      'alter database mcs_doctor owner to "the owner"',
      'alter schema public owner to "the owner"',
    );
    url = as('the owner', PASSWORD);
    expect(await runCommand('migrate', { DATABASE_URL: url })).toMatchObject({ status: 0 });
    // So that nothing but the doctor could change something.
    await asAdmin('alter system set autovacuum = off', 'select pg_reload_conf()');
  });
  afterAll(async () => {
    await asAdmin('alter system reset all');
    await postgres.close();
  });

  const asAdmin = (...statements: string[]) =>
    onDatabase(adminUrl, async (client) => {
      for (const statement of statements) await client.query(statement);
    });

  function as(user: string, password: string, database = 'mcs_doctor'): string {
    const address = new URL(adminUrl);
    Object.assign(address, {
      username: encodeURIComponent(user),
      password: encodeURIComponent(password),
      pathname: `/${database}`,
    });
    return address.toString();
  }

  /** Changes something, looks, and changes it back. */
  async function lookAfter(change: string[], back: string[], variables: Record<string, string> = {}) {
    await asAdmin(...change);
    try {
      return await doctor({ DATABASE_URL: url, ...variables });
    } finally {
      await asAdmin(...back);
    }
  }

  it('finds everything ok where it is, in a list and as JSON, and ends with 0', async () => {
    const { exitCode, status, findings } = await doctor({
      DATABASE_URL: url,
      DEEPSEEK_API_KEY: 'sk-not-a-key',
      DEEPSEEK_BASE_URL: `${worker().vendorUrl}/deepseek`,
    });
    expect(findings.filter((finding) => finding.status !== 'ok')).toEqual([]);
    expect([exitCode, status, findings.map(({ diagnosis }) => diagnosis)]).toEqual([0, 'ok', NAMES]);
    const list = await runCommand('doctor', { DATABASE_URL: url });
    expect(list.status).toBe(0);
    expect(list.output).toMatch(/^ok +versions +Model Comparison Service \d+\.\d+\.\d+ on Node 24\.\d+\.\d+\.$/m);
    expect(list.output).toMatch(/^ok +schema +All \d+ migrations of this version are applied\.$/m);
    expect(list.output).toMatch(/\n\n15 ok, 0 warnings, 0 broken\.$/);
  });

  it('changes nothing', async () => {
    const next = () =>
      onDatabase(
        adminUrl,
        async (client) => (await client.query('select pg_snapshot_xmax(pg_current_snapshot()) as next')).rows,
      );
    const before = await next();
    expect((await doctor({ DATABASE_URL: url })).exitCode).toBe(0);
    expect(await next()).toEqual(before);
  });

  it('shows no secret, not even an invalid one', async () => {
    const secrets = {
      OPENAI_API_KEY: 'sk-wrong-secret-key',
      OPENAI_BASE_URL: `${worker().vendorUrl}/openai/v1`,
      REDIS_URL: 'redis://someone:redis-secret@127.0.0.1:1',
      STRIPE_SECRET_KEY: 'stripe-secret',
    };
    for (const DATABASE_URL of [
      url,
      as('the owner', 'wrong-secret'),
      'postgresql://mcs:wrong-secret%zz@127.0.0.1/mcs',
      'postgresql://mcs:wrong-secret@one:1,two:2/mcs',
    ]) {
      const { output } = await runCommand('doctor', { DATABASE_URL, ...secrets });
      expect(output).not.toMatch(
        new RegExp(
          [
            'secret-key',
            'redis-secret',
            'stripe-secret',
            'wrong-secret',
            'p@ss',
            'p%40ss',
            ...Object.values(TEST_SECRETS),
          ].join('|'),
        ),
      );
      expect(output).toContain('broken');
    }
  });

  it('reports a database and a Redis that are not there in one sentence each, and goes on', async () => {
    const { exitCode, findings } = await doctor({
      DATABASE_URL: `postgresql://mcs@127.0.0.1:${await freePort()}/mcs`,
      REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
    });
    expect(exitCode).toBe(1);
    expect(findings.map(({ diagnosis, status }) => `${diagnosis} ${status}`)).toEqual([
      'versions ok',
      'settings ok',
      'database broken',
      'redis broken',
      'vendors ok',
      'catalog ok',
    ]);
    expect(findings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'DATABASE_URL: nothing listens at its host and port; is Postgres running there?',
        'REDIS_URL: nothing listens at its host and port; is Redis running there?',
      ]),
    );
  });

  it('does not treat an invalid address as a missing one', async () => {
    const wrong = await doctor({ DATABASE_URL: 'mysql://mcs@127.0.0.1/mcs', REDIS_URL: 'redis:6379' });
    expect(wrong.of('database')).toBe(
      'broken: Without a valid DATABASE_URL, and without an embedded database that runs, there is none to look at.',
    );
    expect(wrong.of('redis')).toBe('broken: Without a valid REDIS_URL there is none to look at.');
    expect((await doctor({ REDIS_URL: '' })).of('redis')).toBe(
      'ok: REDIS_URL is not set: every replica counts its rate limits by itself.',
    );
  });

  it('waits a bounded time for a database and a Redis that never answer', async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    try {
      const { of } = await doctor({
        DATABASE_URL: `postgresql://mcs@127.0.0.1:${port}/mcs`,
        REDIS_URL: `redis://127.0.0.1:${port}`,
      });
      expect(of('database')).toBe('broken: DATABASE_URL: the database does not answer, or broke the connection.');
      expect(of('redis')).toBe('broken: REDIS_URL: the server does not answer, or broke the connection.');
    } finally {
      silent.close();
    }
  });

  it('reports all settings that are wrong, and looks at the rest', async () => {
    const { exitCode, findings, of } = await doctor({
      DATABASE_URL: url,
      PORT: 'x',
      LOG_LEVEL: 'chatty',
      REDIS_URI: 'redis://redis',
    });
    expect(exitCode).toBe(1);
    expect(
      findings
        .filter(({ diagnosis }) => diagnosis === 'settings')
        .map(({ status, message }) => `${status}: ${message}`),
    ).toEqual([
      'broken: PORT: must be a number',
      expect.stringMatching(/^broken: LOG_LEVEL: must be one of /),
      'warning: REDIS_URI is not read. Is REDIS_URL meant?',
    ]);
    expect(of('schema')).toMatch(/^ok/);
  });

  it('says how it is called when it is called otherwise', async () => {
    expect(await runCommand('doctor', {}, ['--yaml'])).toEqual({
      status: 2,
      output: 'These words are not understood. Usage: npm run doctor [-- --json]',
    });
  });

  it('reports the simulator in production, and that no model can be called', async () => {
    expect((await doctor({ DATABASE_URL: url, NODE_ENV: 'production', SIMULATOR: 'on' })).of('vendors')).toBe(
      'warning: The simulator is on: all answers are made up.',
    );
    expect((await doctor({ DATABASE_URL: url, SIMULATOR: 'off' })).of('vendors')).toMatch(
      /^broken: No model can be called: none of OPENAI_API_KEY, /,
    );
  });

  it('asks each vendor that has a key for its models, and says in a line whether the key is accepted, refused or cannot be tried', async () => {
    const vendors = vendorVariables(worker().vendorUrl);
    const inTheWay = {
      GROQ_BASE_URL: `http://127.0.0.1:${await freePort()}`,
      XAI_API_KEY: 'xai-busy',
      GEMINI_API_KEY: 'wrong-1',
      ANTHROPIC_API_KEY: 'wrong-2',
      OPENROUTER_API_KEY: 'wrong-3',
      MODEL_CATALOG_FILE: join(temporaryFolder(), 'models.json'),
    };
    writeFileSync(
      inTheWay.MODEL_CATALOG_FILE,
      JSON.stringify(
        shipped
          .filter(({ vendor }) => vendor === 'deepseek')
          .map((model) => ({ ...model, id: `mine-${model.id}`, vendorModel: 'gone' })),
      ),
    );
    const { findings, exitCode } = await doctor({ DATABASE_URL: url, ...vendors, ...inTheWay });
    expect(findings.find(({ diagnosis }) => diagnosis === 'catalog')).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(
        /^Compared with deepseek, mistral, openai: \d+ findings, the first: .* `npm run catalog:check` prints all\.$/,
      ),
    });
    expect(
      findings.filter(({ diagnosis }) => diagnosis === 'vendors').map(({ status, message }) => `${status} ${message}`),
    ).toEqual([
      'ok openai: answers, and does not refuse the key.',
      'broken anthropic: refuses ANTHROPIC_API_KEY (401).',
      'broken gemini: refuses GEMINI_API_KEY (400).',
      'ok mistral: answers, and does not refuse the key.',
      'ok deepseek: answers, and does not refuse the key.',
      'warning xai: answers 429, which does not say whether the key is right.',
      'broken groq: is not reachable (ECONNREFUSED); is GROQ_BASE_URL right, and may this machine connect there?',
      'broken openrouter: refuses OPENROUTER_API_KEY (401).',
      'ok local: answers, and does not refuse the key.',
    ]);
    expect(exitCode).toBe(1);
  });

  it('warns of implausible settings, as the start does', async () => {
    const { findings } = await doctor({ DATABASE_URL: url, MODEL_TIMEOUT_MS: '60', FREE_QUOTA: '5' });
    expect(
      findings
        .filter(({ diagnosis }) => diagnosis === 'settings')
        .map(({ status, message }) => `${status}: ${message}`),
    ).toEqual([
      'warning: FREE_QUOTA is not read since version 0.2.0; it is FREE_EVALS_PER_MONTH now.',
      'warning: MODEL_TIMEOUT_MS is 60 milliseconds; if 60 seconds are meant, it has to be 60000.',
    ]);
  });

  it('reports a missing schema and a half migrated one, and accepts a newer one', async () => {
    await asAdmin('create database mcs_doctor_empty');
    const empty = await doctor({ DATABASE_URL: as('the owner', PASSWORD, 'mcs_doctor_empty') });
    expect(empty.of('schema')).toBe(
      'broken: No migration is applied: run `npm run db:migrate` (in the image: node dist/src/commands/migrate.js).',
    );
    const newer = await lookAfter(
      [
        "insert into migrations (name) values ('Migration29990101000000_newer')",
        'alter table evals add of_a_newer_version text',
      ],
      ["delete from migrations where name like '%newer'", 'alter table evals drop of_a_newer_version'],
    );
    expect(newer.of('schema')).toMatch(
      /^ok: All \d+ migrations of this version are applied, and 1 of a newer one, which does no harm\.$/,
    );
    const lacking = await lookAfter(
      ['alter table results rename column output to answer'],
      ['alter table results rename column answer to output'],
    );
    expect(lacking.of('schema')).toBe(
      'broken: Half migrated: all migrations are on the list, but these are missing: results.output. Restore a whole dump into an empty database.',
    );
    const unlisted = await lookAfter(
      ["update migrations set name = '_' || name where name like '%_shares'"],
      ["update migrations set name = substr(name, 2) where name like '\\_%'"],
    );
    expect(unlisted.of('schema')).toMatch(
      /^broken: Half migrated: everything is there, but Migration\d+_samples_checks_runs_shares is not on the list/,
    );
  });

  it('knows every trigger of the schema, and reports a disabled one, as after a restore of data only', async () => {
    const { rows } = await onDatabase(adminUrl, (client) =>
      client.query<{ name: string }>('select tgname as name from pg_trigger where not tgisinternal order by 1'),
    );
    expect(rows.map(({ name }) => name)).toEqual(TRIGGERS);
    const { of } = await lookAfter(
      ['alter table charges disable trigger charges_metered'],
      ['alter table charges enable trigger charges_metered'],
    );
    expect(of('schema')).toMatch(/^broken: charges_metered is missing or disabled, as after a restore of data only/);
  });

  it('reports what the role may not do', async () => {
    await asAdmin(
      "create role reader login password 'of a reader'",
      'grant select, insert, update, delete on all tables in schema public to reader',
      'alter role reader set statement_timeout = 1000',
    );
    const reader = (variables: Record<string, string> = {}) =>
      doctor({ DATABASE_URL: as('reader', 'of a reader'), ...variables });
    expect((await reader()).of('privileges')).toBe(
      'ok: The role reader reads and writes everything and may not create tables in the schema public: migrations need the owner.',
    );
    expect((await reader({ MIGRATE_ON_START: 'true' })).of('privileges')).toBe(
      'broken: The role reader may not create tables in the schema public, so MIGRATE_ON_START cannot apply a migration.',
    );
    await asAdmin(
      'revoke update on month_totals from reader',
      'revoke delete on users from reader',
      'revoke update on charges from reader',
    );
    expect((await reader()).of('privileges')).toBe(
      'broken: The role reader lacks insert, update or delete on month_totals.',
    );
    await asAdmin('revoke select on evals from reader');
    expect((await reader()).of('privileges')).toBe('broken: The role reader may not read evals.');
    expect((await doctor({ DATABASE_URL: adminUrl })).of('privileges')).toMatch(
      /^warning: The role postgres is a superuser/,
    );
  });

  it('reports a database that only reads', async () => {
    const { of } = await lookAfter(
      ['alter role "the owner" set default_transaction_read_only = on'],
      ['alter role "the owner" reset default_transaction_read_only'],
    );
    expect(of('database')).toMatch(/^broken: Postgres \d.* only reads, because default_transaction_read_only is on/);
  });

  it('reports a server that may lose what it has acknowledged', async () => {
    const withSetting = (name: string, value: string) =>
      lookAfter([`alter database mcs_doctor set ${name} = ${value}`], [`alter database mcs_doctor reset ${name}`]);
    expect((await withSetting('synchronous_commit', 'off')).of('durability')).toMatch(
      /^warning: synchronous_commit is off/,
    );
    for (const [name, sentence] of [
      ['fsync', /^broken: fsync is off/],
      ['full_page_writes', /^warning: full_page_writes is off/],
    ] as const) {
      const reload = 'select pg_reload_conf()';
      expect(
        (await lookAfter([`alter system set ${name} = off`, reload], [`alter system reset ${name}`, reload])).of(
          'durability',
        ),
      ).toMatch(sentence);
    }
  });

  it('counts connections against what the server, the database and the role may have', async () => {
    expect(
      (await doctor({ DATABASE_URL: url, DATABASE_POOL_MAX: '10', ...(await workerVariables(4)) })).of('connections'),
    ).toMatch(
      /^ok: DATABASE_POOL_MAX × WEB_CONCURRENCY is 40, for 1 replica 40; the server has 97, of which others use 0, enough for 2 such replicas\.$/,
    );
    expect((await doctor({ DATABASE_URL: url, DATABASE_POOL_MAX: '98' })).of('connections')).toMatch(
      /^broken: .* the server has 97.*Lower DATABASE_POOL_MAX, or raise max_connections\.$/,
    );
    expect(
      (
        await lookAfter(['alter role "the owner" connection limit 10'], ['alter role "the owner" connection limit -1'])
      ).of('connections'),
    ).toMatch(/^broken: .* the server has 10,/);
  });

  it('measures the clock of this machine by that of the database', async () => {
    const at = (minutes: number) =>
      doctor({ DATABASE_URL: url, TEST_CLOCK: new Date(Date.now() + minutes * 60_000).toISOString() });
    expect((await at(10)).of('clock')).toMatch(
      /^broken: The clock of this machine is 10 min ahead of that of the database: /,
    );
    expect((await at(-10)).of('clock')).toMatch(
      /^broken: The clock of this machine is 10 min behind that of the database: /,
    );
    expect((await doctor({ DATABASE_URL: url })).of('clock')).toMatch(
      /^ok: This machine and the database agree to \d\.\d s\.$/,
    );
  });

  it('reports certificates that have run out or soon will, wherever a file names one', async () => {
    const folder = temporaryFolder();
    const ca = aCertificateAuthority('The CA');
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
    const files = {
      ca: ca.certificate,
      old: aCertificateAuthority('Old', inDays(-3)).certificate,
      mine: aCertificate(ca, 'postgres', inDays(-3)),
      soon: aCertificate(ca, 'postgres', inDays(3)),
    };
    for (const [name, file] of Object.entries(files)) {
      writeFileSync(join(folder, `${name}.pem`), typeof file === 'string' ? file : file.certificate);
      if (typeof file !== 'string') writeFileSync(join(folder, `${name}.key`), file.key);
    }
    await postgres.speakTls({ certificate: aCertificate(ca, '127.0.0.1'), ca });
    try {
      const through = (parameters: string) =>
        doctor({ DATABASE_URL: `${url}?${parameters.replaceAll('FOLDER', folder)}` });
      expect((await through('sslmode=verify-full&sslrootcert=FOLDER/ca.pem')).of('tls')).toMatch(/^ok: TLSv1\.\d\.$/);
      expect((await through('sslmode=require&sslcert=FOLDER/soon.pem&sslkey=FOLDER/soon.key')).of('tls')).toMatch(
        /^warning: The certificate in the file of sslcert runs out on \d{4}-\d\d-\d\d\.$/,
      );
      expect((await through('sslmode=require&sslcert=FOLDER/mine.pem&sslkey=FOLDER/mine.key')).of('tls')).toMatch(
        /^broken: The certificate in the file of sslcert ran out on \d{4}-\d\d-\d\d\.$/,
      );
      expect((await through('sslmode=verify-full&sslrootcert=FOLDER/old.pem')).of('tls')).toMatch(
        /^broken: The certificate in the file of sslrootcert ran out on/,
      );
      expect((await through('sslmode=verify-full&sslrootcert=FOLDER/none.pem')).of('settings')).toBe(
        'broken: DATABASE_URL: sslrootcert names a file that is not there',
      );
    } finally {
      await postgres.speakTls();
    }
  });
});

describeWithRedis('npm run doctor on Redis (needs Redis)', () => {
  it('reports its version, a replica, and a memory that forgets counters', async () => {
    const redis = await RedisServer.onFreePort();
    await redis.start();
    const look = async () =>
      (await doctor({ DATABASE_URL: 'postgresql://mcs@127.0.0.1:1/mcs', REDIS_URL: redis.url })).of('redis');
    expect(await look()).toMatch(/^ok: (Redis|Valkey) \d+\.\d+\.\d+ answers as primary, without a limit of memory\.$/);
    await redis.ask((client) => client.config('SET', 'maxmemory', '100mb'));
    expect(await look()).toMatch(/^ok: .* evicts nothing\.$/);
    await redis.ask((client) => client.config('SET', 'maxmemory-policy', 'allkeys-lru'));
    expect(await look()).toMatch(
      /^warning: .* forgets counters when its memory is full \(maxmemory-policy allkeys-lru\)/,
    );
    await redis.ask((client) => client.replicaof('127.0.0.1', 1));
    expect(await look()).toMatch(/^broken: (Redis|Valkey) \d.* is a replica, which takes no writes/);
    await redis.ask(async (client) => {
      await client.replicaof('NO', 'ONE');
      await client.config('SET', 'requirepass', 'wanted');
    });
    expect(await look()).toBe('broken: REDIS_URL: the server does not accept this user and password.');
    redis.freeze();
    expect(await look()).toBe('broken: REDIS_URL: the server does not answer, or broke the connection.');
    redis.thaw();
    await redis.remove();
  });
});
