import { explainRedisError } from '../../platform/rate-limiting/explain-redis-error';
import { broken, ok, warning, type Judgment } from './finding';

const TIMEOUT_MS = 2000;

/** The values of Redis' INFO, by name. */
type Info = ReadonlyMap<string, string>;

/** Diagnoses the Redis in which replicas share their rate limits; `isGiven` if an address was set, valid or not. */
export async function diagnoseRedis(url: string | undefined, isGiven: boolean): Promise<Judgment> {
  if (url === undefined && isGiven) return broken('Without a valid REDIS_URL there is none to look at.');
  if (url === undefined) return ok('REDIS_URL is not set: every replica counts its rate limits by itself.');
  try {
    return judgeRedis(await infoOf(url));
  } catch (error) {
    return broken(`REDIS_URL: ${explainRedisError(error)}`);
  }
}

async function infoOf(url: string): Promise<Info> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
  });
  let cause: unknown;
  redis.on('error', (error: unknown) => {
    cause = error;
  });
  try {
    await redis.connect();
    return new Map(
      (await redis.info())
        .split('\r\n')
        .map((line) => line.split(/:(.*)/, 2))
        .filter(([, value]) => value !== undefined) as [string, string][],
    );
  } catch (error) {
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
}

/** The verdict on Redis' INFO. */
export function judgeRedis(info: Info): Judgment {
  const name =
    info.get('valkey_version') === undefined
      ? `Redis ${info.get('redis_version')}`
      : `Valkey ${info.get('valkey_version')}`;
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (info.get('role') !== 'master')
    return broken(
      `${name} is a replica, which takes no writes: nothing is limited. REDIS_URL has to lead to the primary.`,
    );
  if (info.get('loading') === '1') return broken(`${name} is still reading its data.`);
  if (info.get('maxmemory') === '0') return ok(`${name} answers as primary, without a limit of memory.`);
  if (policy !== 'noeviction')
    return warning(
      `${name} forgets counters when its memory is full (maxmemory-policy ${policy}), and with them what keys have used of their limits. Set noeviction.`,
    );
  return ok(`${name} answers as primary, and evicts nothing.`);
}
