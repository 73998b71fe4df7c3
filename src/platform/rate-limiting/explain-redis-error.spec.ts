import { explainRedisError } from './explain-redis-error';

describe('explainRedisError', () => {
  test.each([
    ['Unknown RESP type 72 "H". Please report this.'],
    ['Protocol error, got "S" as reply type byte. Please report this.'],
    ["Stream isn't writeable and enableOfflineQueue options is false"],
    ['write EPIPE'],
  ])('says of a server that is no Redis that it is none: %s', (words) => {
    expect(explainRedisError(new Error(words))).toBe(
      'what listens there does not answer as Redis does; does REDIS_URL lead to a Redis?',
    );
  });
});
