import { breaksConnection, isDatabaseFull, isDatabaseUnavailable, withRetries } from './is-database-unavailable';

const withCode = (code: string) => Object.assign(new Error('known by its code'), { code });
const violation = (message: string) => Object.assign(new Error(message), { code: '08P01' });

/** Messages of PgBouncer 1.18 to 1.24 with 08P01, by their meaning. */
const POOLER_AWAY = [
  'server login has been failing, try again later (server_login_retry)',
  'server login has been failing, cached error: connect failed (server_login_retry)',
  'pgbouncer cannot connect to server',
  'server conn crashed?',
  'server connection closed',
  'client_login_timeout (server down)',
  'server DNS lookup failed',
  'connect timeout',
  'server login failed: FATAL the database system is starting up',
  'server shutting down',
  'pooler is shutting down',
  'client connections dropped, exiting',
  'admin forced disconnect',
  'database configuration changed',
  'database removed',
  'invalid server parameter',
];
const POOLER_FULL = [
  'query_wait_timeout',
  'no more connections allowed (max_client_conn)',
  'client_login_timeout',
  'client connections exceeded (max_db_client_connections)',
];
const POOLER_SLOW = ['query_timeout', 'query timeout', 'idle transaction timeout', 'transaction timeout'];
/** Messages of PgBouncer and Postgres with 08P01 about a wrong message of ours. */
const WRONG = [
  'no such database: mcs',
  'no such user',
  'unsupported startup parameter: statement_timeout',
  'SASL authentication failed',
  'SSL required',
  'bad packet',
  'broken Parse packet',
  'bind message supplies 1 parameters, but prepared statement "x" requires 2',
  'invalid message format',
  'insufficient data left in message',
  'prepared statement did not exist',
  'known by its code',
];

describe('isDatabaseUnavailable', () => {
  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
    '08000',
    '08003',
    '08006',
    '57P01',
    '57P02',
    '57P03',
    '53300',
    '53100',
    '57014',
    '55P03',
    '25P03',
    '25006',
  ])('recognizes %s', (code) => {
    expect(isDatabaseUnavailable(withCode(code))).toBe(true);
    expect(isDatabaseUnavailable(new Error('of something else', { cause: withCode(code) }))).toBe(true);
  });

  it.each([
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
  ])('recognizes the message "%s" of pg', (message) => {
    expect(isDatabaseUnavailable(new Error(message))).toBe(true);
  });

  it.each([
    withCode('23505'),
    withCode('40P01'),
    withCode('42P01'),
    withCode('28P01'),
    new Error('a text about ECONNREFUSED'),
    new TypeError('Query read timeout?'),
    'ECONNREFUSED',
    undefined,
  ])('does not blame the database for %p', (thrown) => {
    expect(isDatabaseUnavailable(thrown)).toBe(false);
  });
});

describe('An error of PgBouncer, which has the code of a message that cannot be read,', () => {
  it.each([...POOLER_AWAY, ...POOLER_FULL, ...POOLER_SLOW])('is an outage when it says "%s"', (message) => {
    expect(isDatabaseUnavailable(violation(message))).toBe(true);
    expect(isDatabaseUnavailable(new Error('of something else', { cause: violation(message) }))).toBe(true);
    expect(isDatabaseUnavailable(new Error(message))).toBe(false);
  });

  it.each(WRONG)('is our own mistake when it says "%s"', (message) => {
    expect(isDatabaseUnavailable(violation(message))).toBe(false);
  });

  it('says that no connection is left, or does not', () => {
    for (const message of POOLER_FULL) expect(isDatabaseFull(violation(message))).toBe(true);
    for (const message of [...POOLER_AWAY, ...POOLER_SLOW, ...WRONG])
      expect(isDatabaseFull(violation(message))).toBe(false);
  });
});

describe('breaksConnection', () => {
  it.each(['26000', '42P05', '08P01', '25006'])('holds of %s', (code) => {
    expect(breaksConnection(withCode(code))).toBe(true);
  });

  it('is true of an abandoned statement, and false of a statement that the server refused or ended', () => {
    expect(breaksConnection(new Error('Query read timeout'))).toBe(true);
    for (const code of ['23505', '57014', '55P03']) expect(breaksConnection(withCode(code))).toBe(false);
  });
});

describe('withRetries', () => {
  /** How often something is tried that fails in that way at first, and then no more. */
  async function triesOf(error: Error, failures: number): Promise<number> {
    let tries = 0;
    await withRetries(async () => {
      tries += 1;
      if (tries <= failures) throw error;
    }).catch(() => undefined);
    return tries;
  }

  it.each(['57P01', 'ECONNRESET', '26000', '42P05', '25006'])(
    'tries again up to three times after %s',
    async (code) => {
      expect(await triesOf(withCode(code), 3)).toBe(4);
      expect(await triesOf(withCode(code), 9)).toBe(4);
    },
  );

  it('retries if a pooler had no server, and not if the pooler was full or slow', async () => {
    for (const message of POOLER_AWAY) expect(await triesOf(violation(message), 1)).toBe(2);
    for (const message of [...POOLER_FULL, ...POOLER_SLOW, ...WRONG])
      expect(await triesOf(violation(message), 1)).toBe(1);
  });

  it.each(['23505', '57014', 'ECONNREFUSED'])('does not try again after %s', async (code) => {
    expect(await triesOf(withCode(code), 1)).toBe(1);
  });
});
