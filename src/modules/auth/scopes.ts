import { ApiError } from '../../common/errors';

/** The permissions of a key. Every route of users requires one or two of these. */
export const SCOPES = [
  'compare',
  'evals:read',
  'usage:read',
  'models:read',
  'shares',
  'experiments',
  'experiments:read',
] as const;

export type Scope = (typeof SCOPES)[number];

/** True if scopes include one; null means all. */
export function hasScope(scopes: readonly Scope[] | null, scope: Scope): boolean {
  return scopes === null || scopes.includes(scope);
}

/** Requires scopes of a key. @throws ApiError insufficient_scope, naming the first that is missing */
export function refuseWithoutScopes(scopes: readonly Scope[] | null, ...required: readonly Scope[]): void {
  const missing = required.find((scope) => !hasScope(scopes, scope));
  if (missing !== undefined) throw new ApiError('insufficient_scope', { details: { required_scope: missing } });
}
