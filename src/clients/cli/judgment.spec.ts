import type { Eval } from '../client/client';
import { UsageError } from './exit-codes';
import { isJudged, judgeOf } from './judgment';

const good = { latency_ms: 100, checks: [{ name: 'a', outcome: 'pass' }] };
const refused = { latency_ms: 100, checks: [{ name: 'a', outcome: 'fail' }] };
const undecided = { latency_ms: 100, checks: [{ name: 'a', outcome: 'error' }] };
const slow = { latency_ms: 101 };
const failed = { latency_ms: 5000, error: { code: 'timeout' }, checks: [{ name: 'a', outcome: 'skipped' }] };
const stored = (...results: object[]) =>
  ({ results, meta: { total_cost_usd: '0.10000000000000001' } }) as unknown as Eval;

describe('The exit code of an eval', () => {
  it.each<[string, object[], Partial<Parameters<typeof judgeOf>[0]>, number]>([
    ['all is well', [good, good], { failOnCheck: true, maxLatency: '100', maxCost: '0.2' }, 0],
    ['one of two models failed', [good, failed], {}, 0],
    ['one of two models failed, and none may', [good, failed], { failOn: 'any' }, 3],
    ['all failed', [failed, failed], {}, 3],
    ['all failed, and one may not', [failed], { failOn: 'any' }, 3],
    ['a check failed that is not to count', [refused], {}, 0],
    ['a check failed', [good, refused], { failOnCheck: true }, 8],
    ['a check could not be decided', [undecided], { failOnCheck: true }, 8],
    ['a model failed, which is no failed check', [good, failed], { failOnCheck: true }, 0],
    ['models failed before checks', [refused, failed], { failOn: 'any', failOnCheck: true }, 3],
    ['it cost more by one digit too far for a float', [good], { maxCost: '0.1' }, 5],
    ['it cost exactly so much', [good], { maxCost: '0.10000000000000001' }, 0],
    ['checks before money', [refused], { failOnCheck: true, maxCost: '0' }, 8],
    ['a model took longer', [good, slow], { maxLatency: '100' }, 7],
    ['a failed model took longer', [good, failed], { maxLatency: '100' }, 0],
    ['money before time', [slow], { maxLatency: '1', maxCost: '0' }, 5],
  ])('where %s', (_name, results, options, code) => {
    expect(judgeOf({ failOn: 'all', ...options })(stored(...results))).toBe(code);
  });

  it.each([
    [{ failOn: 'some' }, '--fail-on must be any or all.'],
    [{ failOn: 'any', maxLatency: 'soon' }, '--max-latency must be a number that is not negative.'],
  ])('is asked for rightly, or nothing is sent: %j', (options, message) => {
    expect(() => judgeOf(options)).toThrow(UsageError);
    expect(() => judgeOf(options)).toThrow(message);
  });

  it.each([
    [{ failOn: 'all' }, false],
    [{ failOn: 'all', maxCost: '1' }, false],
    [{ failOn: 'any' }, true],
    [{ failOn: 'all', maxLatency: '1' }, true],
    [{ failOn: 'all', failOnCheck: true }, true],
  ])('is asked for by %j: %s', (options, isAsked) => {
    expect(isJudged(options)).toBe(isAsked);
  });
});
