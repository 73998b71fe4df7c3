import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiError } from '../common/errors';
import { ANY_SCOPE, ROUTE_ACCESS, SCOPE, type IdentifiedRequest, type RouteAccess } from './auth.decorators';
import { hasScope, type Scope } from './scopes';

/** Global, after the rate limits: whether a user's key has the scope that the route requires. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller, adminKey } = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (caller === undefined) {
      const isPublic = this.reflector.getAllAndOverride<RouteAccess | undefined>(ROUTE_ACCESS, [context.getHandler(), context.getClass()]) === 'public';
      if (!isPublic && adminKey === undefined) throw new Error('A request reached the guards without authentication.');
      return true;
    }
    const scope = this.reflector.getAllAndOverride<Scope | typeof ANY_SCOPE | undefined>(SCOPE, [context.getHandler(), context.getClass()]);
    // Closed by default: a route without @RequiresScope() serves nobody.
    if (scope === undefined) throw new Error('A route for user keys lacks @RequiresScope().');
    if (scope !== ANY_SCOPE && !hasScope(caller.scopes, scope)) throw new ApiError('insufficient_scope', { details: { required_scope: scope } });
    return true;
  }
}
