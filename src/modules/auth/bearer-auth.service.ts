import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors';
import { RateLimiterService } from '../../platform/rate-limiting/rate-limiter.service';
import type { IdentifiedRequest, RouteAccess } from './auth.decorators';
import { AuthService } from './auth.service';
import { describeCredentials } from './wrong-credentials';

/** Authenticates a request by its `Authorization: Bearer` header, with a key of the kind that the route accepts. */
@Injectable()
export class BearerAuthService {
  constructor(
    private readonly auth: AuthService,
    private readonly limiter: RateLimiterService,
  ) {}

  /** Sets on the request who sends it. @throws ApiError unauthorized, forbidden, rate_limited */
  async authenticate(
    access: RouteAccess,
    request: FastifyRequest & IdentifiedRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if (access === 'public') return;
    const secret = bearerToken(request.headers.authorization);
    if (access === 'admin' && secret !== undefined && this.auth.isAdminKey(secret)) {
      request.adminKey = this.auth.adminKeyFingerprint;
      return;
    }
    const caller = secret === undefined ? undefined : await this.auth.authenticate(secret);
    if (caller === undefined) return this.refuse(access, request, reply);
    if (access === 'admin') throw new ApiError('forbidden', { message: 'This endpoint requires the admin key.' });
    request.caller = caller;
    request.rateLimitKey = caller.keyId;
  }

  private async refuse(access: RouteAccess, request: FastifyRequest, reply: FastifyReply): Promise<never> {
    await this.limiter.consumeAuthFailure(request.ip, reply);
    reply.header('www-authenticate', 'Bearer');
    const message = describeCredentials(request.headers, access === 'admin');
    throw new ApiError('unauthorized', message === undefined ? {} : { message });
  }
}

function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([\x21-\x7e]+)$/i.exec(header.trim())?.[1];
}
