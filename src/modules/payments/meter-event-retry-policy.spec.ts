import { deadLetterReason, backoffSeconds } from './meter-event-retry-policy';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000);

describe('The retry policy of a meter event', () => {
  test.each([
    [1, 1],
    [2, 2],
    [3, 4],
    [8, 128],
    [12, 2048],
    [13, 3600],
    [40, 3600],
    [2000, 3600],
  ])('waits, after %p attempts, %p seconds', (attempts, seconds) => {
    expect(backoffSeconds(attempts)).toBe(seconds);
  });

  test.each([
    ['a new event', daysAgo(0), 0],
    ['an event of 34 days', daysAgo(34), 0],
    ['an event that may have arrived 23 hours ago', daysAgo(2), 23 * 3600],
    ['an event of a clock that is ahead', daysAgo(-1), 0],
  ])('retries %s', (_, occurredAt, uncertainSeconds) => {
    expect(deadLetterReason({ occurredAt, uncertainSeconds }, NOW)).toBeUndefined();
  });

  test.each([
    ['an older event', daysAgo(34.001), 0, /34 days/],
    ['an event that may have arrived earlier', daysAgo(2), 23 * 3600 + 1, /twice/],
  ])('dead-letters %s', (_, occurredAt, uncertainSeconds, reason) => {
    expect(deadLetterReason({ occurredAt, uncertainSeconds }, NOW)).toMatch(reason);
  });
});
