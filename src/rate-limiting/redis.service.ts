import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Clock } from '../common/clock';
import { Config } from '../common/config';
import { Metrics } from '../common/metrics';
import { CircuitBreaker } from './circuit-breaker';

const CONNECT_TIMEOUT_MS = 1000;
/** A connection on which a reply is outstanding for so long is closed and opened again. */
const SOCKET_TIMEOUT_MS = 2000;
const MAX_BACKOFF_MS = 1000;

/** The Redis that processes share their limits in, and its circuit breaker. Money never depends on it. */
export class RedisService implements OnApplicationShutdown {
  constructor(
    /** The Redis or Valkey of REDIS_URL, if there is one. */
    readonly redis: Redis | undefined,
    readonly breaker: CircuitBreaker,
  ) {}

  /** Connects when REDIS_URL is set; an unreachable server delays the start by a moment and nothing else. */
  static async open({ REDIS_URL }: Config, metrics: Metrics, clock: Clock): Promise<RedisService> {
    const log = new Logger(RedisService.name);
    const breaker = new CircuitBreaker(clock, {
      onOpen: (cause) => log.warn(`the store of the rate limits does not answer, and requests pass uncounted until it does: ${cause instanceof Error ? cause.message : 'no reason given'}`),
      onClose: () => log.warn('the store of the rate limits answers again'),
      onRejected: () => metrics.rateLimitsFailedOpen.inc(),
    });
    const redis = REDIS_URL === undefined ? undefined : await connect(REDIS_URL, log);
    if (redis !== undefined) {
      const check = () => breaker.check(() => redis.ping());
      await check();
      redis.on('ready', () => void check());
    }
    return new RedisService(redis, breaker);
  }

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }
}

async function connect(url: string, log: Logger): Promise<Redis> {
  // Loaded only here: most deployments have no Redis.
  const ioredis = await import('ioredis');
  const redis = new ioredis.Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), MAX_BACKOFF_MS),
    // A command that cannot be sent now fails now: nothing waits in a queue, and nothing is counted twice.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
  // The circuit breaker warns once per outage; without a listener the client would print each failed attempt.
  redis.on('error', (error: Error) => log.debug(error.message));
  await new Promise<void>((resolve) => {
    redis.once('ready', resolve);
    redis.once('close', resolve);
    setTimeout(resolve, CONNECT_TIMEOUT_MS).unref();
  });
  return redis;
}
