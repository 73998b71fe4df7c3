import { Inject, Injectable } from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply } from 'fastify';
import { Config } from '../common/config';
import { ApiError } from '../common/errors';

/** One limit: how many within how long. */
export interface RatePolicy {
  name: string;
  limit: number;
  windowMs: number;
}

/** Counts knocks against policies and says so in the RateLimit headers (IETF draft ratelimit-headers). */
@Injectable()
export class RateLimiterService {
  constructor(
    @Inject(ThrottlerStorage) private readonly storage: ThrottlerStorage,
    private readonly config: Config,
  ) {}

  /** Counts one for `who`. @throws ApiError rate_limited when it was one too many. */
  async consume(policy: RatePolicy, who: string, reply: FastifyReply): Promise<void> {
    const key = `${policy.name}:${who}`;
    const { totalHits, isBlocked, timeToExpire } = await this.storage.increment(key, policy.windowMs, policy.limit, 0, policy.name);
    reply.header('ratelimit-policy', `"${policy.name}";q=${policy.limit};w=${policy.windowMs / 1000}`);
    reply.header('ratelimit', `"${policy.name}";r=${Math.max(0, policy.limit - totalHits)};t=${timeToExpire}`);
    if (isBlocked) throw new ApiError('rate_limited', { retryAfterSeconds: timeToExpire });
  }

  /** Counts a refused key against the address it came from. @throws ApiError rate_limited */
  async consumeAuthFailure(address: string, reply: FastifyReply): Promise<void> {
    const policy = { name: 'failed-authentication', limit: this.config.RATE_LIMIT_AUTH_FAILURES_PER_MINUTE, windowMs: 60_000 };
    await this.consume(policy, address, reply);
  }
}
