import { Inject, Injectable } from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply } from 'fastify';
import { Config } from '../config/config';
import { ApiError } from '../../common/errors';

/** One limit: a number of requests in a fixed window. */
interface RatePolicy {
  name: string;
  limit: number;
  windowMs: number;
}

/** Counts requests under policies and sets the RateLimit headers (IETF draft ratelimit-headers). */
@Injectable()
export class RateLimiterService {
  constructor(
    @Inject(ThrottlerStorage) private readonly storage: ThrottlerStorage,
    private readonly config: Config,
  ) {}

  /**
   * Counts a request of `tracker` as one, or as `weight` requests, of which some are counted already. @throws ApiError
   * rate_limited above the limit
   */
  async consume(
    policy: RatePolicy,
    tracker: string,
    reply: FastifyReply,
    { weight = 1, counted = 0 } = {},
  ): Promise<void> {
    const increment = () =>
      this.storage.increment(`${policy.name}:${tracker}`, policy.windowMs, policy.limit, 0, policy.name);
    const hits = Math.min(weight, policy.limit) - counted;
    const { totalHits, isBlocked, timeToExpire } = hits === 1 ? await increment() : await incrementAll(increment, hits);
    reply.header('ratelimit-policy', `"${policy.name}";q=${policy.limit};w=${policy.windowMs / 1000}`);
    reply.header('ratelimit', `"${policy.name}";r=${Math.max(0, policy.limit - totalHits)};t=${timeToExpire}`);
    if (!isBlocked) return;
    throw new ApiError('rate_limited', {
      ...(weight > 1 && {
        message: `Too many requests, of which this one counts as ${weight}; try again after Retry-After seconds.`,
      }),
      retryAfterSeconds: timeToExpire,
    });
  }

  /**
   * Counts the samples of a compare that was counted as one request before they were known. @throws ApiError
   * rate_limited above the limit
   */
  async consumeSamples(samples: number, tracker: string, reply: FastifyReply): Promise<void> {
    const policy = { name: 'compare', limit: this.config.RATE_LIMIT_COMPARE_PER_MINUTE, windowMs: 60_000 };
    if (samples > 1 && policy.limit > 1) await this.consume(policy, tracker, reply, { weight: samples, counted: 1 });
  }

  /** Counts a failed authentication of an address. @throws ApiError rate_limited */
  async consumeAuthFailure(address: string, reply: FastifyReply): Promise<void> {
    const policy = {
      name: 'failed-authentication',
      limit: this.config.RATE_LIMIT_AUTH_FAILURES_PER_MINUTE,
      windowMs: 60_000,
    };
    await this.consume(policy, address, reply);
  }

  /**
   * Counts a view of a share link by an address; it has the limit of failed authentications, because a token can be
   * guessed like a key. @throws ApiError rate_limited
   */
  async consumeSharedView(address: string, reply: FastifyReply): Promise<void> {
    await this.consume(
      { name: 'shared', limit: this.config.RATE_LIMIT_AUTH_FAILURES_PER_MINUTE, windowMs: 60_000 },
      address,
      reply,
    );
  }
}

/** Counts several at once, at most a whole limit of them: in an empty window even the heaviest request passes. */
async function incrementAll(
  increment: () => ReturnType<ThrottlerStorage['increment']>,
  weight: number,
): ReturnType<ThrottlerStorage['increment']> {
  const counted = await Promise.all(Array.from({ length: weight }, increment));
  return counted.reduce((most, next) => (next.totalHits > most.totalHits ? next : most));
}
