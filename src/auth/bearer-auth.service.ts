import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors';
import type { IdentifiedRequest, RouteAccess } from './auth.decorators';
import type { Caller } from './caller';
import { AuthService } from './auth.service';
import { RateLimiterService } from '../rate-limiting/rate-limiter.service';

type Request = FastifyRequest & IdentifiedRequest;

/** Lets a request pass with a live key of the kind its route takes, or not at all. */
@Injectable()
export class BearerAuthService {
  constructor(
    private readonly auth: AuthService,
    private readonly limits: RateLimiterService,
  ) {}

  /** Notes on the request who makes it; without a promise where nothing has to be looked up. @throws ApiError unauthorized, forbidden, rate_limited */
  authenticate(access: RouteAccess, request: Request, reply: FastifyReply): true | Promise<true> {
    if (access === 'public') return true;
    const secret = bearerToken(request.headers.authorization);
    if (access === 'admin') return this.admitOperator(secret, request, reply);
    // Most requests come with a key that came a moment ago; they need not wait for anything.
    identify(request, secret === undefined ? undefined : this.auth.verifyAtOnce(secret, request.socket));
    return request.caller !== undefined || this.admitUser(secret, request, reply);
  }

  private async admitUser(secret: string | undefined, request: Request, reply: FastifyReply): Promise<true> {
    identify(request, secret === undefined ? undefined : await this.auth.verify(secret));
    return request.caller !== undefined || this.refuse(request, reply);
  }

  private async admitOperator(secret: string | undefined, request: Request, reply: FastifyReply): Promise<true> {
    if (secret !== undefined && this.auth.isAdminKey(secret)) {
      request.operator = this.auth.adminKeyFingerprint;
      return true;
    }
    const caller = secret === undefined ? undefined : await this.auth.verify(secret);
    if (caller !== undefined) throw new ApiError('forbidden', { message: "Only the operator's key may do that." });
    return this.refuse(request, reply);
  }

  private async refuse(request: FastifyRequest, reply: FastifyReply): Promise<never> {
    await this.limits.consumeAuthFailure(request.ip, reply);
    reply.header('www-authenticate', 'Bearer');
    throw new ApiError('unauthorized');
  }
}

function identify(request: Request, caller: Caller | undefined): void {
  request.caller = caller;
  request.rateLimitKey = caller?.keyId;
}

function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([\x21-\x7e]+)$/i.exec(header.trim())?.[1];
}
