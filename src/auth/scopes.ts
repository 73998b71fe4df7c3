import { ApiError } from '../common/errors';

/** What a key may be allowed to do. Every route of users asks for one or two of these. */
export const SCOPES = ['compare', 'evals:read', 'usage:read', 'models:read', 'shares'] as const;

export type Scope = (typeof SCOPES)[number];

/** Whether scopes include one; null stands for all. */
export function hasScope(scopes: readonly Scope[] | null, scope: Scope): boolean {
  return scopes === null || scopes.includes(scope);
}

/** Requires scopes of a key. @throws ApiError insufficient_scope, naming the first that is missing */
export function refuseWithoutScopes(scopes: readonly Scope[] | null, ...required: readonly Scope[]): void {
  const missing = required.find((scope) => !hasScope(scopes, scope));
  if (missing !== undefined) throw new ApiError('insufficient_scope', { details: { required_scope: missing } });
}
