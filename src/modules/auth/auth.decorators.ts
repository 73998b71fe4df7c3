import { applyDecorators, createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../audit/actor';
import type { RateLimitedRequest } from '../../platform/rate-limiting/rate-limited.decorator';
import type { Caller } from './caller';
import type { Scope } from './scopes';

export const ROUTE_ACCESS = 'auth:route-access';
export const SCOPE = 'auth:scope';

/** Which kind of key a route requires; a user's unless its decorators say otherwise. */
export type RouteAccess = 'public' | 'admin' | 'user';

/** Opens a route to requests without a key. */
export const Public = () => SetMetadata(ROUTE_ACCESS, 'public' satisfies RouteAccess);

export const AdminOnly = () =>
  applyDecorators(SetMetadata(ROUTE_ACCESS, 'admin' satisfies RouteAccess), ApiSecurity('operator'));

/**
 * Restricts a route to keys with all of those scopes; this or `@AnyScope()` is required on every route for user keys.
 */
export const RequiresScope = (scope: Scope, ...further: Scope[]) =>
  applyDecorators(
    SetMetadata(SCOPE, [scope, ...further]),
    ApiExtension('x-required-scope', scope),
    ...(further.length > 0 ? [ApiExtension('x-further-required-scopes', further)] : []),
    ApiSecurity('apiKey'),
  );

/** Opens a route to every live key of a user, whatever its scopes. */
export const AnyScope = () => applyDecorators(SetMetadata(SCOPE, []), ApiSecurity('apiKey'));

/** A request after authentication. */
export interface IdentifiedRequest extends RateLimitedRequest {
  caller?: Caller | undefined;
  /** Fingerprint of the admin key, where that authenticated the request. */
  adminKey?: string;
}

/**
 * A request on a route for user keys, as its handler gets it from `@Req()`. Not a custom parameter decorator: pipes run
 * over its value, which is a measurable part of a read.
 */
export interface AuthenticatedRequest extends FastifyRequest {
  caller: Caller;
}

/** Who sends the request, for the audit log, as a parameter of a handler. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const { caller, adminKey, id, ip } = context.switchToHttp().getRequest<IdentifiedRequest & FastifyRequest>();
  const name = caller?.keyId ?? adminKey;
  if (name === undefined) throw new Error('@CurrentActor() is used on a public route.');
  return { name, requestId: id, address: ip };
});
