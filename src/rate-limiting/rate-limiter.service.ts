import { Inject, Injectable } from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply } from 'fastify';
import { Config } from '../common/config';
import { ApiError } from '../common/errors';

/** One limit: so many requests in a fixed window. */
export interface RatePolicy {
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

  /** Counts one request of `tracker`. @throws ApiError rate_limited above the limit */
  async consume(policy: RatePolicy, tracker: string, reply: FastifyReply): Promise<void> {
    const key = `${policy.name}:${tracker}`;
    const { totalHits, isBlocked, timeToExpire } = await this.storage.increment(key, policy.windowMs, policy.limit, 0, policy.name);
    reply.header('ratelimit-policy', `"${policy.name}";q=${policy.limit};w=${policy.windowMs / 1000}`);
    reply.header('ratelimit', `"${policy.name}";r=${Math.max(0, policy.limit - totalHits)};t=${timeToExpire}`);
    if (isBlocked) throw new ApiError('rate_limited', { retryAfterSeconds: timeToExpire });
  }

  /** Counts a failed authentication of an address. @throws ApiError rate_limited */
  async consumeAuthFailure(address: string, reply: FastifyReply): Promise<void> {
    const policy = { name: 'failed-authentication', limit: this.config.RATE_LIMIT_AUTH_FAILURES_PER_MINUTE, windowMs: 60_000 };
    await this.consume(policy, address, reply);
  }
}
