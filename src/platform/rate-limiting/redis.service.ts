import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Clock } from '../../common/clock';
import { Config } from '../config/config';
import { Metrics } from '../observability/metrics';
import { outsideRequests } from '../observability/outside-requests';
import { CircuitBreaker } from './circuit-breaker';
import { explainRedisError } from './explain-redis-error';

const CONNECT_TIMEOUT_MS = 1000;
/** A connection is closed and opened again if a reply is outstanding for this time. */
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
    // Why there is no connection; what is asked meanwhile fails without a reason.
    let lost: Error | undefined;
    const breaker = new CircuitBreaker(clock, {
      onOpen: (cause) => {
        if (REDIS_URL !== undefined) metrics.sharedStoreUp.set(0);
        log.warn(`the store of the rate limits ${explain(lost ?? cause)}`);
      },
      onClose: () => {
        if (REDIS_URL !== undefined) metrics.sharedStoreUp.set(1);
        log.warn('the store of the rate limits answers again');
      },
      onRejected: () => metrics.rateLimitsFailedOpen.inc(),
    });
    const redis =
      REDIS_URL === undefined
        ? undefined
        : await connect(REDIS_URL, (error) => {
            lost = error;
            if (error !== undefined) log.debug(error.message);
          });
    if (redis !== undefined) {
      metrics.sharedStoreUp.set(1);
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

function explain(cause: unknown): string {
  if (cause instanceof Error && cause.message.startsWith('READONLY'))
    return 'is a replica, which takes no writes, and requests pass uncounted; REDIS_URL has to lead to the primary';
  return `does not answer, and requests pass uncounted until it does: ${explainRedisError(cause)}`;
}

/** Reports every failed and every successful attempt to connect. */
async function connect(url: string, onAttempt: (error?: Error) => void): Promise<Redis> {
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
  // It may come by a timer that the command of some request has set.
  redis.on('error', (error: Error) => outsideRequests(() => onAttempt(error)));
  redis.on('ready', () => onAttempt());
  await new Promise<void>((resolve) => {
    redis.once('ready', resolve);
    redis.once('close', resolve);
    setTimeout(resolve, CONNECT_TIMEOUT_MS).unref();
  });
  return redis;
}
