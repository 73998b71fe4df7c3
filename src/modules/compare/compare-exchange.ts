import type { FastifyReply } from 'fastify';
import type { AuthenticatedRequest } from '../auth/auth.decorators';
import type { Inclusions } from '../../platform/http/include.dto';

/** A request that a compare answers, and the parts of the eval that it wants. */
export interface CompareExchange {
  request: AuthenticatedRequest;
  reply: FastifyReply;
  include: Inclusions;
}
