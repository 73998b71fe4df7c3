import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { InjectThrottlerOptions, InjectThrottlerStorage, ThrottlerGuard, type ThrottlerModuleOptions, type ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RATE, type AuthenticatedRequest, type Rate } from './auth.decorators';
import { RateLimits } from './rate-limits.service';

type LimitedRequest = Parameters<ThrottlerGuard['handleRequest']>[0];

/** Global, after the bearer guard: how often a key may knock in a minute, compares and reads counted apart. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly limits: RateLimits,
  ) {
    super(options, storage, reflector);
  }

  // Nothing to count without a caller: public routes and the operator's.
  protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
    return context.switchToHttp().getRequest<AuthenticatedRequest>().caller === undefined;
  }

  protected override async handleRequest({ context, limit, ttl }: LimitedRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<FastifyRequest & AuthenticatedRequest>();
    const policy = { name: rateOf(this.reflector, context), limit, windowMs: ttl };
    if (caller !== undefined) await this.limits.count(policy, caller.keyId, http.getResponse<FastifyReply>());
    return true;
  }
}

/** The rate a route is counted under. */
export function rateOf(reflector: Reflector, context: ExecutionContext): Rate {
  return reflector.getAllAndOverride<Rate | undefined>(RATE, [context.getHandler(), context.getClass()]) ?? 'read';
}
