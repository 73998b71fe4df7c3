import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Caller } from './caller';

/** Metadata key: whose key a route takes. */
export const DOOR = 'auth:door';
/** Metadata key: under which rate a route is counted. */
export const RATE = 'auth:rate';

/** Whose key a route takes; a route that says nothing takes a user's. */
export type Door = 'public' | 'operator' | 'user';
/** The rates there are; a route that says nothing counts as a read. */
export type Rate = 'compare' | 'read';

/** Opens a route to everybody. */
export const Public = () => SetMetadata(DOOR, 'public' satisfies Door);

/** Lets only the operator's key in. */
export const Operator = () => SetMetadata(DOOR, 'operator' satisfies Door);

/** Counts a route under its own rate and number of parallel requests. */
export const CountedAs = (rate: Rate) => SetMetadata(RATE, rate);

/** A request after the bearer guard has seen it. */
export interface AuthenticatedRequest {
  caller?: Caller;
}

/** The caller, as an argument of a handler. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (caller === undefined) throw new Error('A handler asked for the caller of a route that has none.');
  return caller;
});
