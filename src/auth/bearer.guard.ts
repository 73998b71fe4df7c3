import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors';
import { DOOR, type AuthenticatedRequest, type Door } from './auth.decorators';
import { AuthService } from './auth.service';
import { RateLimits } from './rate-limits.service';

/** Global, and closed by default: a request passes with a live key of the kind the route takes, or not at all. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly auth: AuthService,
    private readonly limits: RateLimits,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const door = this.reflector.getAllAndOverride<Door | undefined>(DOOR, [context.getHandler(), context.getClass()]) ?? 'user';
    if (door === 'public') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest & AuthenticatedRequest>();
    const secret = bearerToken(request.headers.authorization);
    if (door === 'operator') return this.admitOperator(secret, request, http.getResponse());
    // Most requests come with a key that came a moment ago; they need not wait for anything.
    request.caller = secret === undefined ? undefined : this.auth.verifyAtOnce(secret, request.socket);
    return request.caller !== undefined || this.admitUser(secret, request, http.getResponse());
  }

  private async admitUser(secret: string | undefined, request: FastifyRequest & AuthenticatedRequest, reply: FastifyReply): Promise<boolean> {
    request.caller = secret === undefined ? undefined : await this.auth.verify(secret);
    return request.caller !== undefined || this.refuse(request, reply);
  }

  private async admitOperator(secret: string | undefined, request: FastifyRequest & AuthenticatedRequest, reply: FastifyReply): Promise<boolean> {
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
