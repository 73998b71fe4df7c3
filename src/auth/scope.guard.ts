import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiError } from '../common/errors';
import { ROUTE_ACCESS, SCOPE, type IdentifiedRequest, type RouteAccess } from './auth.decorators';
import { hasScope, type Scope } from './scopes';

/** Global, after the rate limits: whether a user's key may do what the route does. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller, operator } = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (caller === undefined) {
      const isPublic = this.reflector.getAllAndOverride<RouteAccess | undefined>(ROUTE_ACCESS, [context.getHandler(), context.getClass()]) === 'public';
      if (!isPublic && operator === undefined) throw new Error('A request came past the check of its key.');
      return true;
    }
    const scope = this.reflector.getAllAndOverride<Scope | undefined>(SCOPE, [context.getHandler(), context.getClass()]);
    // Closed by default: a route that was forgotten serves nobody.
    if (scope === undefined) throw new Error('A route of users declares no scope.');
    if (!hasScope(caller.scopes, scope)) throw new ApiError('insufficient_scope', { details: { required_scope: scope } });
    return true;
  }
}
