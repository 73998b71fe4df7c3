import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { InjectThrottlerOptions, InjectThrottlerStorage, ThrottlerGuard, type ThrottlerModuleOptions, type ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply } from 'fastify';
import { RATE_POLICY, type RateLimitedRequest, type RatePolicyName } from './rate-limited.decorator';
import { RateLimiterService, type RatePolicy } from './rate-limiter.service';

/** Global, after the check of the key: how often a key may knock in a minute, compares, estimates and reads counted apart. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  private policies: ReadonlyMap<string, RatePolicy> = new Map();

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly limits: RateLimiterService,
  ) {
    super(options, storage, reflector);
  }

  override async onModuleInit(): Promise<void> {
    await super.onModuleInit();
    this.policies = new Map(this.throttlers.map(({ name = '', limit, ttl }) => [name, { name, limit: Number(limit), windowMs: Number(ttl) }]));
  }

  // The throttler's own would count a request under all of its policies, and ask six settings of the route for each, none of which a route of ours has.
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const { rateLimitKey } = http.getRequest<RateLimitedRequest>();
    // Nothing to count without a caller: public routes and the operator's.
    if (rateLimitKey === undefined) return true;
    const rate = this.reflector.getAllAndOverride<RatePolicyName | undefined>(RATE_POLICY, [context.getHandler(), context.getClass()]) ?? 'read';
    const policy = this.policies.get(rate);
    if (policy === undefined) throw new Error(`No policy for the rate ${rate}.`);
    await this.limits.consume(policy, rateLimitKey, http.getResponse<FastifyReply>());
    return true;
  }
}
