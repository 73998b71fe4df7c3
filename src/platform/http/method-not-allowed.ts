import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiError } from '../../common/errors';
import { sendErrorResponse } from './error.filter';
import { nearRoute, type RouteMethods } from './near-route';

interface Address {
  pattern: RegExp;
  methods: Set<string>;
}

/** Which methods each address takes, learned from the router as the routes are registered. */
class AllowedMethods {
  private readonly addresses = new Map<string, Address>();

  /** Notes a route by the router's own words for its address, such as `/evals/:id` or `/docs/*`. */
  add(url: string, methods: string | readonly string[]): void {
    // The catch-all of CORS says nothing about an address.
    if (url === '*') return;
    const address = this.addresses.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    this.addresses.set(url, address);
    for (const method of [methods].flat()) address.methods.add(method);
  }

  entries(): RouteMethods[] {
    return [...this.addresses].map(([url, { methods }]) => ({ url, methods: [...methods] }));
  }

  /** The methods of a path in alphabetical order; none when nothing is there. */
  methodsOf(path: string): string[] {
    return [
      ...new Set(
        [...this.addresses.values()].filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]),
      ),
    ].sort();
  }
}

/**
 * Answers requests without a route, with or without a key: 405 with an Allow header if the address accepts other
 * methods, else 404.
 * Before the body is read, so that the error is not about an unneeded body.
 */
export function handleUnmatchedRoutes(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  const table = new AllowedMethods();
  server.addHook('onRoute', ({ url, method }) => table.add(url, method));
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const methods = table.methodsOf(pathOf(request.url));
    if (methods.length > 0) void reply.header('allow', methods.join(', '));
    sendErrorResponse(
      methods.length > 0 ? notAllowed(methods) : notFound(pathOf(request.url), request.method, table.entries()),
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
