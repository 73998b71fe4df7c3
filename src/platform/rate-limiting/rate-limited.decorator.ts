import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

const RATE_POLICY = 'rate-limiting:policy';

const reflector = new Reflector();

/** The rate limit policies; a route without `@RateLimited()` is counted as a read. */
export type RatePolicyName = 'compare' | 'estimate' | 'read';

/** As how many requests one counts; asked before its body is validated. */
type RequestWeight = (request: { body?: unknown }) => number;

interface RouteRate {
  policy: RatePolicyName;
  weigh?: RequestWeight | undefined;
}

/** Counts the requests of a route under a policy, each as one unless `weigh` says otherwise. */
export const RateLimited = (policy: RatePolicyName, weigh?: RequestWeight) =>
  SetMetadata(RATE_POLICY, { policy, weigh } satisfies RouteRate);

/** The one policy that a route is counted under. */
export function ratePolicyOf(context: ExecutionContext): RatePolicyName {
  return routeRateOf(context)?.policy ?? 'read';
}

/** As how many requests a request of a route counts. */
export function requestWeightOf(context: ExecutionContext): number {
  return routeRateOf(context)?.weigh?.(context.switchToHttp().getRequest()) ?? 1;
}

function routeRateOf(context: ExecutionContext): RouteRate | undefined {
  return reflector.getAllAndOverride<RouteRate | undefined>(RATE_POLICY, [context.getHandler(), context.getClass()]);
}

/** A request after authentication. */
export interface RateLimitedRequest {
  /** Id of the API key that the request is counted under; absent where nothing is counted. */
  rateLimitKey?: string | undefined;
}
