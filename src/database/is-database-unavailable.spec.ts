import { breaksConnection, isDatabaseUnavailable, withRetries } from './is-database-unavailable';

const withCode = (code: string) => Object.assign(new Error('known by its code'), { code });

describe('isDatabaseUnavailable', () => {
  it.each([
    'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN',
    '08000', '08003', '08006', '57P01', '57P02', '57P03', '53300', '53100', '57014', '55P03', '25P03', '25006',
  ])('recognizes %s', (code) => {
    expect(isDatabaseUnavailable(withCode(code))).toBe(true);
    expect(isDatabaseUnavailable(new Error('of something else', { cause: withCode(code) }))).toBe(true);
  });

  it.each([
    'Connection terminated', 'Connection terminated unexpectedly', 'Connection terminated due to connection timeout', 'timeout exceeded when trying to connect',
    'timeout expired', 'Query read timeout', 'Client has encountered a connection error and is not queryable', 'Client was closed and is not queryable',
  ])('recognizes the message "%s" of pg', (message) => {
    expect(isDatabaseUnavailable(new Error(message))).toBe(true);
  });

  it.each([withCode('23505'), withCode('40P01'), withCode('42P01'), withCode('28P01'), new Error('a text about ECONNREFUSED'), new TypeError('Query read timeout?'), 'ECONNREFUSED', undefined])(
    'does not blame the database for %p', (thrown) => {
      expect(isDatabaseUnavailable(thrown)).toBe(false);
    });
});

describe('breaksConnection', () => {
  it.each(['26000', '42P05', '08P01', '25006'])('holds of %s', (code) => {
    expect(breaksConnection(withCode(code))).toBe(true);
  });

  it('holds of a statement that was given up, and not of one that the server has refused or ended', () => {
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

  it.each(['57P01', 'ECONNRESET', '26000', '42P05', '25006'])('tries again up to three times after %s', async (code) => {
    expect(await triesOf(withCode(code), 3)).toBe(4);
    expect(await triesOf(withCode(code), 9)).toBe(4);
  });

  it.each(['23505', '57014', 'ECONNREFUSED'])('does not try again after %s', async (code) => {
    expect(await triesOf(withCode(code), 1)).toBe(1);
  });
});
