import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { of, type Observable } from 'rxjs';

/**
 * Answers 204 to an event-stream client that reconnects by itself, which tells it to stop: the same request again would buy the eval again.
 * With an Idempotency-Key the first eval is answered instead, which costs nothing.
 */
@Injectable()
export class ReconnectInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { headers } = http.getRequest<FastifyRequest>();
    if (headers['last-event-id'] === undefined || headers['idempotency-key'] !== undefined) return next.handle();
    void http.getResponse<FastifyReply>().status(204);
    return of(undefined);
  }
}
