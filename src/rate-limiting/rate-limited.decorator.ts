import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

const RATE_POLICY = 'rate-limiting:policy';

const reflector = new Reflector();

/** The rate limit policies; a route without `@RateLimited()` is counted as a read. */
export type RatePolicyName = 'compare' | 'estimate' | 'read';

/** Counts the requests of a route under a policy. */
export const RateLimited = (policy: RatePolicyName) => SetMetadata(RATE_POLICY, policy);

/** The one policy that a route is counted under. */
export function ratePolicyOf(context: ExecutionContext): RatePolicyName {
  return reflector.getAllAndOverride<RatePolicyName | undefined>(RATE_POLICY, [context.getHandler(), context.getClass()]) ?? 'read';
}

/** A request after authentication. */
export interface RateLimitedRequest {
  /** Id of the API key that the request is counted under; absent where nothing is counted. */
  rateLimitKey?: string | undefined;
}
