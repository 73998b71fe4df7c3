import { PROGRAM, RedisServer } from './redis-server';

/** `describe` where a Redis can be started; elsewhere the suite is skipped, and the last lines of the run say why. */
export function describeWithRedis(name: string, suite: () => void): void {
  if (PROGRAM === undefined) describe.skip(`${name} (needs Redis)`, suite);
  else describe(name, suite);
}

let ofThisFile: Promise<RedisServer> | undefined;

/**
 * Variables for a service of that many workers. More than one need a Redis; where none is installed, an address without
 * one, so that limits do not hold.
 */
export async function workerVariables(count: number | string): Promise<Record<string, string>> {
  if (Number(count) === 1) return {};
  if (PROGRAM === undefined) return { WEB_CONCURRENCY: `${count}`, REDIS_URL: 'redis://127.0.0.1:1' };
  ofThisFile ??= RedisServer.onFreePort().then(async (redis) => {
    await redis.start();
    return redis;
  });
  return { WEB_CONCURRENCY: `${count}`, REDIS_URL: (await ofThisFile).url };
}
