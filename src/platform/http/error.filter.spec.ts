import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors';
import { toApiError } from '../../common/to-api-error';
import { loggedApiError } from './error.filter';

/** The log line of an error that ends a request. */
function logged(thrown: unknown): object[] {
  const lines: object[] = [];
  loggedApiError(thrown, {
    id: 'req_1',
    log: { error: (facts: object) => lines.push(facts) },
  } as unknown as FastifyRequest);
  return lines;
}

describe('loggedApiError', () => {
  const gone = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });

  test("treats an error of a caller who disconnected while sending as the caller's, and logs nothing", () => {
    expect(toApiError(gone)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(logged(gone)).toEqual([]);
  });

  test('turns an unexpected error into a 500 whose cause is logged and not disclosed', () => {
    for (const thrown of [new Error('aborted'), new TypeError('x is undefined'), 'a text']) {
      const error = toApiError(thrown);
      expect([error.status, error.code]).toEqual([500, 'internal_error']);
      expect(error.message).not.toMatch(/aborted|undefined|a text/);
      expect(logged(thrown)).toEqual([{ reqId: 'req_1', code: 'internal_error', err: thrown }]);
    }
  });

  test('turns a broken connection of ours into a 503 that is logged', () => {
    const broken = Object.assign(new Error('read'), { code: 'ECONNRESET' });
    expect(toApiError(broken)).toMatchObject({ status: 503, code: 'unavailable' });
    expect(logged(broken)).toEqual([{ reqId: 'req_1', code: 'unavailable', err: broken }]);
  });

  test('logs one line a second without a stack, with their number, for requests that find no connection', () => {
    jest.useFakeTimers();
    const full = new Error('No connection of the pool was free in time.');
    const query_wait_timeout = Object.assign(new Error('query_wait_timeout'), { code: '08P01' });
    const lines = () => [full, query_wait_timeout, full].flatMap((error) => logged(error));
    expect(lines()).toEqual([
      {
        reqId: 'req_1',
        code: 'unavailable',
        requests: 1,
        reason: 'Error: No connection of the pool was free in time.',
      },
    ]);
    jest.advanceTimersByTime(999);
    expect(lines()).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(lines()).toEqual([
      {
        reqId: 'req_1',
        code: 'unavailable',
        requests: 6,
        reason: 'Error: No connection of the pool was free in time.',
      },
    ]);
    jest.useRealTimers();
  });

  test('logs an error that the caller receives only where it is our fault', () => {
    expect(logged(new ApiError('invalid_request'))).toEqual([]);
    expect(logged(new ApiError('all_models_failed'))).toEqual([]);
    const cause = new Error('why');
    expect(logged(new ApiError('unavailable', { cause }))).toEqual([
      { reqId: 'req_1', code: 'unavailable', err: cause },
    ]);
  });
});
