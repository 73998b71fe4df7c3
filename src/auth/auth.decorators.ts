import { applyDecorators, createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../audit/actor';
import type { Caller } from './caller';
import type { Scope } from './scopes';

/** Metadata key: whose key a route takes. */
export const DOOR = 'auth:door';
/** Metadata key: under which rate a route is counted. */
export const RATE = 'auth:rate';

/** Metadata key: what a key must be allowed to do for a route. */
export const SCOPE = 'auth:scope';

/** Whose key a route takes; a route that says nothing takes a user's. */
export type Door = 'public' | 'operator' | 'user';
/** The rates there are; a route that says nothing counts as a read. */
export type Rate = 'compare' | 'estimate' | 'read';

/** Opens a route to everybody. */
export const Public = () => SetMetadata(DOOR, 'public' satisfies Door);

/** Lets only the operator's key in. */
export const Operator = () => SetMetadata(DOOR, 'operator' satisfies Door);

/** Counts a route under its own rate and number of parallel requests. */
export const CountedAs = (rate: Rate) => SetMetadata(RATE, rate);

/** Lets only keys with that scope in; every route of users must say which one. */
export const RequiresScope = (scope: Scope) => applyDecorators(SetMetadata(SCOPE, scope), ApiExtension('x-required-scope', scope));

/** A request after its key was checked. */
export interface AuthenticatedRequest {
  caller?: Caller | undefined;
  /** Fingerprint of the operator's key. */
  operator?: string;
}

/** A request on a route of users, as a handler gets it: no other key passes. Taken from `@Req()`, because an argument of a decorator of our own would go through the pipes, for a tenth of what a read costs. */
export interface UserRequest extends FastifyRequest {
  caller: Caller;
}

/** Whoever makes the request, for the audit log, as an argument of a handler. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const { caller, operator, id, ip } = context.switchToHttp().getRequest<AuthenticatedRequest & FastifyRequest>();
  const name = caller?.keyId ?? operator;
  if (name === undefined) throw new Error('A handler asked for the actor of a route that has none.');
  return { name, requestId: id, address: ip };
});
