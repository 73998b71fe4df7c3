import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ROUTE_ACCESS, SCOPE, type IdentifiedRequest, type RouteAccess } from './auth.decorators';
import { refuseWithoutScopes, type Scope } from './scopes';

/** Global, after the rate limits: whether a user's key has the scopes that the route requires. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller, adminKey } = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (caller === undefined) {
      const isPublic =
        this.reflector.getAllAndOverride<RouteAccess | undefined>(ROUTE_ACCESS, [
          context.getHandler(),
          context.getClass(),
        ]) === 'public';
      if (!isPublic && adminKey === undefined) throw new Error('A request reached the guards without authentication.');
      return true;
    }
    const scopes = this.reflector.getAllAndOverride<Scope[] | undefined>(SCOPE, [
      context.getHandler(),
      context.getClass(),
    ]);
    // Closed by default: a route without @RequiresScope() refuses every request.
    if (scopes === undefined) throw new Error('A route for user keys lacks @RequiresScope().');
    refuseWithoutScopes(caller.scopes, ...scopes);
    return true;
  }
}
