import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { of, type Observable } from 'rxjs';

/**
 * Responds 204 to an event stream client that reconnects automatically, so that it stops: running the request again would charge for a second eval.
 * With an Idempotency-Key the request proceeds, because it returns the first eval at no cost.
 */
export class ReconnectInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { headers } = http.getRequest<FastifyRequest>();
    if (headers['last-event-id'] === undefined || headers['idempotency-key'] !== undefined) return next.handle();
    // The handler sends its own responses, so nothing is sent for it.
    void http.getResponse<FastifyReply>().status(204).send();
    return of(undefined);
  }
}
