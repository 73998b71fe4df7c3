/** What a key may be allowed to do. Every route of users asks for one of these. */
export const SCOPES = ['compare', 'evals:read', 'usage:read', 'models:read', 'shares'] as const;

export type Scope = (typeof SCOPES)[number];

/** Whether scopes include one; null stands for all. */
export function hasScope(scopes: readonly Scope[] | null, scope: Scope): boolean {
  return scopes === null || scopes.includes(scope);
}
