import { SetMetadata } from '@nestjs/common';

/** Metadata key: the rate limit policy of a route. */
export const RATE_POLICY = 'rate-limiting:policy';

/** The rate limit policies; a route that names none counts as a read. */
export type RatePolicyName = 'compare' | 'estimate' | 'read';

/** Counts a route under a policy of its own. */
export const RateLimited = (policy: RatePolicyName) => SetMetadata(RATE_POLICY, policy);

/** A request whose key was checked. */
export interface RateLimitedRequest {
  /** Id of the API key that it is counted under; absent where nothing is counted. */
  rateLimitKey?: string | undefined;
}
