import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aCertificate, aCertificateAuthority } from '../../support/certificates';
import { runCommand } from '../../support/command';
import { onDatabase } from '../../support/database';
import { createCaller } from '../../support/factories';
import { OwnPostgres } from '../../support/own-postgres';
import { workerVariables } from '../../support/redis';
import { startService } from '../../support/service';

const ca = aCertificateAuthority('The right CA');
const otherCa = aCertificateAuthority('Another CA');
const server = { certificate: aCertificate(ca, 'localhost'), ca };
const user = aCertificate(ca, 'postgres');
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const old = aCertificate(ca, 'postgres', inDays(-1));
const SETTINGS = { MIGRATE_ON_START: 'true', SIMULATOR: 'on', LOG_LEVEL: 'warn' };

describe('TLS to the database', () => {
  let postgres: OwnPostgres;
  let databaseUrl: string;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mcs-tls-'));
    const files = {
      'ca.pem': ca.certificate,
      'other-ca.pem': otherCa.certificate,
      'user.pem': user.certificate,
      'user.key': user.key,
      'old.pem': old.certificate,
      'old.key': old.key,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    postgres = await OwnPostgres.start('tls');
    databaseUrl = await postgres.database('mcs_tls');
    await postgres.database('mcs_cert');
  });
  beforeEach(() => postgres.speakTls(server));
  afterAll(async () => {
    await postgres.close();
    rmSync(folder, { recursive: true });
  });

  /** The address of the database with that host and those parameters. */
  function address(host: string, parameters: string, name = 'mcs_tls'): string {
    const url = new URL(databaseUrl);
    url.hostname = host;
    url.pathname = `/${name}`;
    url.search = parameters.replaceAll('FOLDER', folder);
    return url.toString();
  }

  it.each([
    ['localhost', 'sslmode=verify-full&sslrootcert=FOLDER/ca.pem', '1', 'mcs'],
    ['127.0.0.1', 'sslmode=verify-ca&sslrootcert=FOLDER/ca.pem&application_name=replica%207', '2', 'replica 7'],
    ['127.0.0.1', 'sslmode=require', '1', 'mcs'],
  ])('encrypts every connection at %s with %s, in %s processes', async (host, parameters, processes, name) => {
    const service = await startService({
      ...SETTINGS,
      DATABASE_URL: address(host, parameters),
      ...(await workerVariables(processes)),
    });
    try {
      const caller = await createCaller({ at: service.url });
      expect((await caller.compare({ prompt: 'in private', models: ['sim-swift'] })).status).toBe(200);
      const connections = await onDatabase(
        address('127.0.0.1', '', 'postgres'),
        async (client) =>
          (
            await client.query<{ ssl: boolean; application_name: string }>(
              "select ssl, application_name from pg_stat_ssl join pg_stat_activity using (pid) where datname = 'mcs_tls'",
            )
          ).rows,
      );
      expect(connections.length).toBeGreaterThanOrEqual(Number(processes));
      expect([...new Set(connections.map((one) => JSON.stringify(one)))]).toEqual([
        JSON.stringify({ ssl: true, application_name: name }),
      ]);
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });

  const REFUSED: [what: string, host: string, parameters: string, sentence: string][] = [
    [
      'a certificate of another CA',
      'localhost',
      'sslmode=verify-full&sslrootcert=FOLDER/other-ca.pem',
      "DATABASE_URL: the server's certificate does not come from a CA of sslrootcert.",
    ],
    [
      'that even with sslmode=require',
      '127.0.0.1',
      'sslmode=require&sslrootcert=FOLDER/other-ca.pem',
      "DATABASE_URL: the server's certificate does not come from a CA of sslrootcert.",
    ],
    [
      'a certificate that no public CA has signed',
      'localhost',
      'sslmode=verify-full',
      "DATABASE_URL: the server's certificate does not come from a CA of sslrootcert.",
    ],
    [
      'a certificate for another host',
      '127.0.0.1',
      'sslmode=verify-full&sslrootcert=FOLDER/ca.pem',
      "DATABASE_URL: the server's certificate is for another host name, which sslmode=verify-full does not accept.",
    ],
    [
      'a server that demands TLS, without sslmode',
      '127.0.0.1',
      '',
      'DATABASE_URL: the server wants TLS (or has no rule for this user in pg_hba.conf); try sslmode=require or better.',
    ],
    [
      'a parameter that is not supported',
      '127.0.0.1',
      'connect_timout=7',
      'The configuration is not usable:\n  - DATABASE_URL: the parameter connect_timout is not supported; supported are sslmode, sslrootcert, sslcert, sslkey, channel_binding, connect_timeout, options, application_name',
    ],
  ];

  it.each(REFUSED)('stops the start with %s', async (_, host, parameters, sentence) => {
    await expectNoStart(address(host, parameters), sentence);
  });

  it.each(['require', 'verify-full&sslrootcert=FOLDER/ca.pem'])(
    'stops the start on a server without TLS with sslmode=%s',
    async (mode) => {
      await postgres.speakTls();
      await expectNoStart(
        address('localhost', `sslmode=${mode}`, 'mcs_test'),
        'DATABASE_URL: sslmode asks for TLS, which the server does not speak.',
      );
    },
  );

  const SERVER = "DATABASE_URL: the server's certificate, or that of its CA,";

  it.each([
    ['has run out', aCertificate(ca, 'localhost', inDays(-1)), `${SERVER} has run out.`],
    [
      'is not valid yet',
      aCertificate(ca, 'localhost', inDays(9), inDays(1)),
      `${SERVER} is not valid yet; is the clock of this machine right?`,
    ],
  ])("stops the start with a server's certificate that %s", async (_, certificate, sentence) => {
    // Without TLS in between, a connection may still be shown the certificate of before.
    await postgres.speakTls();
    try {
      await postgres.speakTls({ certificate, ca });
      await expectNoStart(address('localhost', 'sslmode=verify-full&sslrootcert=FOLDER/ca.pem'), sentence);
    } finally {
      await postgres.speakTls();
    }
  });

  it('stops the start with a certificate of sslcert that has run out', async () => {
    await expectNoStart(
      address('127.0.0.1', 'sslmode=require&sslcert=FOLDER/old.pem&sslkey=FOLDER/old.key'),
      'DATABASE_URL: the certificate of sslcert has run out.',
    );
  });

  it('is used by every command as well', async () => {
    const DATABASE_URL = address('localhost', 'sslmode=verify-full&sslrootcert=FOLDER/ca.pem');
    for (const command of ['migrate', 'ledger-verify'])
      expect(await runCommand(command, { DATABASE_URL })).toMatchObject({ status: 0 });
    expect((await runCommand('evals-restore', { DATABASE_URL }, ['/dev/null'])).status).toBe(0);
    const clear = await runCommand('migrate', { DATABASE_URL: address('localhost', '') });
    expect(clear).toEqual({
      status: 1,
      output:
        'DATABASE_URL: the server wants TLS (or has no rule for this user in pg_hba.conf); try sslmode=require or better.',
    });
  });

  it('binds the login to the connection with channel_binding=require, or refuses a server that does not', async () => {
    expect(
      await runCommand('migrate', {
        DATABASE_URL: address('127.0.0.1', 'sslmode=require&channel_binding=require&connect_timeout=20'),
      }),
    ).toMatchObject({ status: 0 });
    const certified = address(
      '127.0.0.1',
      'sslmode=require&sslcert=FOLDER/user.pem&sslkey=FOLDER/user.key&channel_binding=require',
      'mcs_cert',
    );
    const refusal =
      'DATABASE_URL: channel_binding=require, which the server does not offer; poolers such as PgBouncer do not either.';
    for (const command of ['migrate', 'ledger-verify'])
      expect(await runCommand(command, { DATABASE_URL: certified })).toEqual({ status: 1, output: refusal });
    await expectNoStart(certified, refusal);
  });

  it('presents the certificate of sslcert, and reports when one is missing', async () => {
    const mine = '&sslcert=FOLDER/user.pem&sslkey=FOLDER/user.key';
    expect(
      await runCommand('migrate', { DATABASE_URL: address('127.0.0.1', `sslmode=require${mine}`, 'mcs_cert') }),
    ).toMatchObject({ status: 0 });
    expect(await runCommand('migrate', { DATABASE_URL: address('127.0.0.1', 'sslmode=require', 'mcs_cert') })).toEqual({
      status: 1,
      output:
        'DATABASE_URL: the server does not let this user in: it does not exist, pg_hba.conf has no rule for it, or a client certificate (sslcert) is needed.',
    });
  });
});

/** The service ends before it is ready, with one sentence. */
async function expectNoStart(DATABASE_URL: string, sentence: string): Promise<void> {
  await expect(startService({ ...SETTINGS, DATABASE_URL })).rejects.toThrow(`before it was ready:\n${sentence}`);
}
