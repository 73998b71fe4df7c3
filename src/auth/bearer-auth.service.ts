import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors';
import type { AuthenticatedRequest, Door } from './auth.decorators';
import { AuthService } from './auth.service';
import { RateLimits } from './rate-limits.service';

type Request = FastifyRequest & AuthenticatedRequest;

/** Lets a request pass with a live key of the kind its route takes, or not at all. */
@Injectable()
export class BearerAuthService {
  constructor(
    private readonly auth: AuthService,
    private readonly limits: RateLimits,
  ) {}

  /** Notes on the request who makes it; without a promise where nothing has to be looked up. @throws ApiError unauthorized, forbidden, rate_limited */
  authenticate(door: Door, request: Request, reply: FastifyReply): true | Promise<true> {
    if (door === 'public') return true;
    const secret = bearerToken(request.headers.authorization);
    if (door === 'operator') return this.admitOperator(secret, request, reply);
    // Most requests come with a key that came a moment ago; they need not wait for anything.
    request.caller = secret === undefined ? undefined : this.auth.verifyAtOnce(secret, request.socket);
    return request.caller !== undefined || this.admitUser(secret, request, reply);
  }

  private async admitUser(secret: string | undefined, request: Request, reply: FastifyReply): Promise<true> {
    request.caller = secret === undefined ? undefined : await this.auth.verify(secret);
    return request.caller !== undefined || this.refuse(request, reply);
  }

  private async admitOperator(secret: string | undefined, request: Request, reply: FastifyReply): Promise<true> {
    if (secret !== undefined && this.auth.isOperator(secret)) {
      request.operator = this.auth.operatorFingerprint;
      return true;
    }
    const caller = secret === undefined ? undefined : await this.auth.verify(secret);
    if (caller !== undefined) throw new ApiError('forbidden', { message: "Only the operator's key may do that." });
    return this.refuse(request, reply);
  }

  private async refuse(request: FastifyRequest, reply: FastifyReply): Promise<never> {
    await this.limits.countFailedAuthentication(request.ip, reply);
    reply.header('www-authenticate', 'Bearer');
    throw new ApiError('unauthorized');
  }
}

function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([\x21-\x7e]+)$/i.exec(header.trim())?.[1];
}
