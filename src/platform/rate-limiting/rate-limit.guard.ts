import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyReply } from 'fastify';
import { requestWeightOf, type RateLimitedRequest } from './rate-limited.decorator';
import { RateLimiterService } from './rate-limiter.service';

/**
 * Global, after authentication: limits the requests of each API key per minute, under the policy of the route. The
 * throttlers in `RateLimitingModule` choose the policy.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly limiter: RateLimiterService,
  ) {
    super(options, storage, reflector);
  }

  /** Public and admin routes have no key to count under. */
  protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
    return context.switchToHttp().getRequest<RateLimitedRequest>().rateLimitKey === undefined;
  }

  protected override async getTracker({ rateLimitKey }: RateLimitedRequest): Promise<string> {
    if (rateLimitKey === undefined) throw new Error('A request without a key cannot be counted.');
    return rateLimitKey;
  }

  /** Counts the request and sets the RateLimit headers instead of the throttler's own. @throws ApiError rate_limited */
  protected override async handleRequest({
    context,
    limit,
    ttl,
    throttler: { name = '' },
    getTracker,
  }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const tracker = await getTracker(http.getRequest<Record<string, unknown>>(), context);
    await this.limiter.consume({ name, limit, windowMs: ttl }, tracker, http.getResponse<FastifyReply>(), {
      weight: requestWeightOf(context),
    });
    return true;
  }
}
