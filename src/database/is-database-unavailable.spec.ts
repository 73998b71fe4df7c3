import { isDatabaseUnavailable } from './is-database-unavailable';

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
