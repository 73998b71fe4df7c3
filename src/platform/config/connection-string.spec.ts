import type { PeerCertificate } from 'node:tls';
import {
  addressProblem,
  ConnectionStringError,
  isSilentlyUnencrypted,
  parseConnectionString,
} from './connection-string';

const PLAIN = 'postgresql://mcs:secret@db.example.com/mcs';
const OTHER_NAME = { code: 'ERR_TLS_CERT_ALTNAME_INVALID' };

/** The problems of a connection string. */
function complaint(text: string): string {
  try {
    parseConnectionString(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ConnectionStringError);
    return (error as Error).message;
  }
  throw new Error('It was accepted.');
}

describe('The options of a connection string', () => {
  it.each([
    [
      PLAIN,
      {
        host: 'db.example.com',
        port: 5432,
        user: 'mcs',
        password: 'secret',
        database: 'mcs',
        application_name: 'mcs',
        ssl: false,
      },
    ],
    ['postgres://db/mcs', { host: 'db', user: undefined, password: undefined }],
    [
      'postgresql://a%40b:p%2F%3A%25%23@db:6432/m%20cs',
      { user: 'a@b', password: 'p/:%#', port: 6432, database: 'm cs' },
    ],
    ['postgresql://u@[::1]:5433/mcs', { host: '::1', port: 5433 }],
    ['postgresql://u@%2Fvar%2Frun%2Fpostgresql/mcs', { host: '/var/run/postgresql', ssl: false }],
    // As libpq has it: a socket in the file system needs no TLS.
    ['postgresql://u@%2Fvar%2Frun%2Fpostgresql/mcs?sslmode=require', { ssl: false }],
    [`${PLAIN}?application_name=replica%207`, { application_name: 'replica 7' }],
    [
      `${PLAIN}?sslmode=disable`,
      { ssl: false, enableChannelBinding: false, requireChannelBinding: false, options: undefined },
    ],
    [
      `${PLAIN}?sslmode=require&channel_binding=require&connect_timeout=7`,
      { enableChannelBinding: true, requireChannelBinding: true, greetingTimeoutMs: 7000 },
    ],
    [
      `${PLAIN}?sslmode=require&channel_binding=prefer&options=endpoint%3Dquiet-sea`,
      { enableChannelBinding: true, requireChannelBinding: false, options: 'endpoint=quiet-sea' },
    ],
    [
      'postgresql://u@%2Fvar%2Frun%2Fpostgresql/mcs?channel_binding=prefer',
      { ssl: false, requireChannelBinding: false },
    ],
    [`${PLAIN}?sslmode=require`, { ssl: { rejectUnauthorized: false } }],
  ])('contain each part of %s', (text, expected) => {
    expect(parseConnectionString(text)).toMatchObject(expected);
  });

  it.each(['0', '-1'])('set no limit with connect_timeout=%s, as libpq has it', (seconds) => {
    expect(parseConnectionString(`${PLAIN}?connect_timeout=${seconds}`)).not.toHaveProperty('greetingTimeoutMs');
  });

  it('verify the host name of the certificate with sslmode=verify-full, also for an IP address', () => {
    const { ssl } = parseConnectionString(`${PLAIN}?sslmode=verify-full`);
    expect(nameProblem(ssl, { subjectaltname: 'DNS:db.example.com' })).toBeUndefined();
    expect(nameProblem(ssl, { subjectaltname: 'DNS:elsewhere.example.com' })).toMatchObject(OTHER_NAME);
    const byAddress = parseConnectionString('postgresql://[fd00::7]/mcs?sslmode=verify-full').ssl;
    expect(nameProblem(byAddress, { subjectaltname: 'IP Address:fd00::7' })).toBeUndefined();
    expect(nameProblem(byAddress, { subjectaltname: 'DNS:localhost' })).toMatchObject(OTHER_NAME);
  });

  it.each(['', '&sslrootcert=system'])('trust the CAs that Node knows with sslmode=verify-full%s', (roots) => {
    const { ssl } = parseConnectionString(`${PLAIN}?sslmode=verify-full${roots}`);
    expect(ssl).toMatchObject({ rejectUnauthorized: true });
    expect(ssl).not.toHaveProperty('ca');
  });

  it.each([
    ['', 'names no database', 'postgresql://mcs:secret@db'],
    ['', 'names no host', 'postgresql:///mcs'],
    [
      '',
      'names several hosts; only one is supported, such as a load balancer that finds the primary',
      'postgresql://one,two/mcs',
    ],
    ['#secret', 'contains a "#", which has to be written as %23'],
    [
      '',
      'contains a "%" that is not followed by two hexadecimal digits; it has to be written as %25',
      'postgresql://mcs:100%secret@db/mcs',
    ],
    [
      '?connect_timout=7',
      'the parameter connect_timout is not supported; supported are sslmode, sslrootcert, sslcert, sslkey, channel_binding, connect_timeout, options, application_name',
    ],
    [
      '?target_session_attrs=primary',
      'the parameter target_session_attrs is not supported; supported are sslmode, sslrootcert, sslcert, sslkey, channel_binding, connect_timeout, options, application_name',
    ],
    [
      '?SSLMODE=require',
      'the parameter SSLMODE is not supported; supported are sslmode, sslrootcert, sslcert, sslkey, channel_binding, connect_timeout, options, application_name',
    ],
    [
      '',
      'a parameter is not supported; supported are sslmode, sslrootcert, sslcert, sslkey, channel_binding, connect_timeout, options, application_name',
      'postgresql://db/mcs?/secret@db',
    ],
    ['?sslmode=require&sslmode=disable', 'the parameter sslmode is given twice'],
    ['?sslmode=', 'the parameter sslmode is empty'],
    ['?sslmode=prefer', 'sslmode must be one of disable, require, verify-ca, verify-full'],
    ['?connect_timeout=secret', 'connect_timeout must be a whole number of seconds'],
    ['?sslmode=require&channel_binding=on', 'channel_binding must be one of disable, prefer, require'],
    ['?channel_binding=require', 'channel_binding=require needs sslmode=require, verify-ca or verify-full'],
    ['?sslmode=verify-ca', 'sslmode=verify-ca needs sslrootcert'],
    ['?sslmode=require&sslrootcert=system', 'sslrootcert=system needs sslmode=verify-full'],
    ['?sslrootcert=ca.pem', 'sslrootcert needs sslmode=require, verify-ca or verify-full'],
    ['?sslmode=disable&sslkey=key.pem', 'sslkey needs sslmode=require, verify-ca or verify-full'],
    ['?sslmode=verify-full&sslrootcert=secret.pem', 'sslrootcert names a file that is not there'],
    ['?sslmode=verify-full&sslrootcert=/tmp', 'sslrootcert names something that is not a file'],
    ['?sslmode=verify-full&sslrootcert=/dev/zero', 'sslrootcert names something that is not a file'],
    [
      '',
      'contains an "@" in the name of the database; in a user name or password, @ : / ? # % are written as %40 %3A %2F %3F %23 %25',
      'postgresql://mcs:p@ss/secret@db/mcs',
    ],
  ])('are rejected for a connection string that ends in "%s": %s', (parameters, sentence, base = PLAIN) => {
    const found = complaint(`${base}${parameters}`);
    expect(found).toBe(sentence);
    expect(found).not.toContain('secret');
  });
});

describe('What is no address of a Postgres', () => {
  const escapes =
    'contains a host or a port that cannot be read; ports end at 65535, and in a user name or password, @ : / ? # % are written as %40 %3A %2F %3F %23 %25';

  it.each([
    ['postgresql://mcs:p@ss:w/secret?#@db/mcs', escapes],
    ['postgresql://mcs:secret@db:99999/mcs', escapes],
    ['mysql://mcs:secret@db/mcs', 'must be an address such as postgresql://user:password@host:5432/name'],
    ['"postgresql://mcs:secret@db/mcs"', 'must be an address such as postgresql://user:password@host:5432/name'],
    [
      'postgresql://mcs:secret@::1:5432/mcs',
      'must be a postgresql:// address; an IPv6 address stands in brackets, such as [::1]',
    ],
    [
      'postgresql://mcs:secret@one:5432,two:5432/mcs',
      'names several hosts; only one is supported, such as a load balancer that finds the primary',
    ],
  ])('is reported for %s without its password', (text, sentence) => {
    expect(addressProblem(text)).toBe(sentence);
  });
});

describe('isSilentlyUnencrypted', () => {
  it.each([
    ['postgresql://db.example.com/mcs', true],
    ['postgresql://10.0.0.7/mcs', true],
    ['postgresql://127.example.com/mcs', true],
    ['postgresql://db/mcs?application_name=x', true],
    ['postgresql://db/mcs?sslmode=disable', false],
    ['postgresql://db/mcs?sslmode=require', false],
    ['postgresql://localhost/mcs', false],
    ['postgresql://127.0.0.1/mcs', false],
    ['postgresql://127.8.0.1/mcs', false],
    ['postgresql://[::1]/mcs', false],
    ['postgresql://%2Ftmp/mcs', false],
  ])('returns, for %s, if the connection is unintentionally unencrypted: %p', (text, matters) => {
    expect(isSilentlyUnencrypted(text)).toBe(matters);
  });
});

function nameProblem(
  ssl: ReturnType<typeof parseConnectionString>['ssl'],
  presented: { subjectaltname: string },
): Error | undefined {
  if (ssl === false) throw new Error('There is no TLS.');
  return ssl.checkServerIdentity?.('a-name-of-the-driver', { subject: {}, ...presented } as PeerCertificate);
}
