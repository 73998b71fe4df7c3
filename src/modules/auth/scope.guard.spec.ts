import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AdminOnly, AnyScope, Public, RequiresScope, type IdentifiedRequest } from './auth.decorators';
import type { Caller } from './caller';
import { ScopeGuard } from './scope.guard';
import type { Scope } from './scopes';

class Routes {
  @Public()
  open(this: void): void {}

  @AdminOnly()
  admin(this: void): void {}

  @RequiresScope('usage:read')
  usage(this: void): void {}

  @RequiresScope('compare', 'evals:read')
  rerun(this: void): void {}

  @AnyScope()
  anyKey(this: void): void {}

  forgotten(this: void): void {}
}

/** True if the guard lets a request with that caller reach that route. */
function admits(route: keyof Routes, request: IdentifiedRequest): boolean {
  const context = {
    getHandler: () => Routes.prototype[route],
    getClass: () => Routes,
    switchToHttp: () => ({ getRequest: () => request }),
  };
  return new ScopeGuard(new Reflector()).canActivate(context as unknown as ExecutionContext);
}

const callerWith = (scopes: Scope[] | null) => ({ caller: { scopes } as Caller });

describe('ScopeGuard', () => {
  test('refuses every user on a route without a scope, even with a key that has all scopes', () => {
    for (const scopes of [null, ['usage:read' as const]])
      expect(() => admits('forgotten', callerWith(scopes))).toThrow('A route for user keys lacks @RequiresScope().');
  });

  test('admits keys with the scope of the route and keys with all scopes, and no others', () => {
    expect(admits('usage', callerWith(['usage:read']))).toBe(true);
    expect(admits('usage', callerWith(null))).toBe(true);
    for (const scopes of [[], ['evals:read' as const]]) {
      expect(() => admits('usage', callerWith(scopes))).toThrow(
        expect.objectContaining({ code: 'insufficient_scope', details: { required_scope: 'usage:read' } }) as Error,
      );
    }
  });

  test('requires every scope of a route with two, and names the first that is missing', () => {
    expect(admits('rerun', callerWith(['evals:read', 'compare']))).toBe(true);
    for (const [scopes, missing] of [
      [['compare'], 'evals:read'],
      [['evals:read'], 'compare'],
      [['shares'], 'compare'],
    ] as [Scope[], Scope][]) {
      expect(() => admits('rerun', callerWith(scopes))).toThrow(
        expect.objectContaining({ code: 'insufficient_scope', details: { required_scope: missing } }) as Error,
      );
    }
  });

  test('admits every key on a route that any key may call', () => {
    for (const scopes of [null, [], ['usage:read' as const]]) expect(admits('anyKey', callerWith(scopes))).toBe(true);
  });

  test('refuses a request that was not authenticated on every route that requires a key', () => {
    for (const route of ['usage', 'admin', 'anyKey', 'forgotten'] as const)
      expect(() => admits(route, {})).toThrow('A request reached the guards without authentication.');
  });

  test('admits everybody on a public route and the admin key on an admin route', () => {
    expect(admits('open', {})).toBe(true);
    expect(admits('admin', { adminKey: 'admin_12345678' })).toBe(true);
  });
});
