import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiError } from '../../common/errors';
import { sendErrorResponse } from './error.filter';
import { nearRoute, type RouteMethods } from './near-route';

/** A route as the router registers it. */
interface Address extends RouteMethods {
  pattern: RegExp;
}

/**
 * Answers requests without a route, with or without a key: 405 with an Allow header if the address accepts other
 * methods, else 404.
 * Before the body is read, so that the error is not about an unneeded body.
 */
export function handleUnmatchedRoutes(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  const addresses = new Map<string, Address>();
  server.addHook('onRoute', ({ url, method }) => {
    // The catch-all of CORS says nothing about an address.
    if (url === '*') return;
    const { methods = [] } = addresses.get(url) ?? {};
    addresses.set(url, { url, pattern: patternOf(url), methods: [...new Set([...methods, ...[method].flat()])] });
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const path = pathOf(request.url);
    const matching = [...addresses.values()].filter(({ pattern }) => pattern.test(path));
    const methods = [...new Set(matching.flatMap((address) => address.methods))].sort();
    if (methods.length > 0) void reply.header('allow', methods.join(', '));
    sendErrorResponse(
      methods.length > 0 ? notAllowed(methods) : notFound(path, request.method, [...addresses.values()]),
      request,
      reply,
    );
  });
}

function notAllowed(methods: readonly string[]): ApiError {
  return new ApiError('method_not_allowed', {
    message: `This endpoint does not support that method; it supports ${methods.join(', ')}.`,
  });
}

function notFound(path: string, method: string, routes: readonly RouteMethods[]): ApiError {
  const hint = nearRoute(path, method, routes);
  return new ApiError('not_found', hint === undefined ? {} : { message: `No such route or resource; ${hint}.` });
}

/** The path of a request's target, which may also be a whole address. */
export function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/]*/i, '').split('?')[0] ?? '';
}

function patternOf(url: string): RegExp {
  const segments = url
    .split('/')
    .map((segment) =>
      segment.startsWith(':')
        ? '[^/]+'
        : segment === '*'
          ? '.*'
          : segment.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`),
    );
  return new RegExp(`^${segments.join('/')}$`);
}
