import { applyDecorators, createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../audit/actor';
import type { RateLimitedRequest } from '../rate-limiting/rate-limited.decorator';
import type { Caller } from './caller';
import type { Scope } from './scopes';

/** Metadata key: whose key a route takes. */
export const ROUTE_ACCESS = 'auth:route-access';
/** Metadata key: what a key must be allowed to do for a route. */
export const SCOPE = 'auth:scope';

/** Whose key a route takes; a route that says nothing takes a user's. */
export type RouteAccess = 'public' | 'admin' | 'user';

/** Opens a route to everybody. */
export const Public = () => SetMetadata(ROUTE_ACCESS, 'public' satisfies RouteAccess);

/** Lets only the operator's key in. */
export const AdminOnly = () => SetMetadata(ROUTE_ACCESS, 'admin' satisfies RouteAccess);

/** Lets only keys with that scope in; every route of users must say which one. */
export const RequiresScope = (scope: Scope) => applyDecorators(SetMetadata(SCOPE, scope), ApiExtension('x-required-scope', scope));

/** A request after its key was checked. */
export interface IdentifiedRequest extends RateLimitedRequest {
  caller?: Caller | undefined;
  /** Fingerprint of the operator's key. */
  operator?: string;
}

/** A request on a route of users, as a handler gets it: no other key passes. Taken from `@Req()`, because an argument of a decorator of our own would go through the pipes, for a tenth of what a read costs. */
export interface AuthenticatedRequest extends FastifyRequest {
  caller: Caller;
}

/** Whoever makes the request, for the audit log, as an argument of a handler. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const { caller, operator, id, ip } = context.switchToHttp().getRequest<IdentifiedRequest & FastifyRequest>();
  const name = caller?.keyId ?? operator;
  if (name === undefined) throw new Error('A handler asked for the actor of a route that has none.');
  return { name, requestId: id, address: ip };
});
