import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { RouteConfig, type FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ROUTE_ACCESS, type RouteAccess } from './auth.decorators';
import { BearerAuthService } from './bearer-auth.service';
import { sendErrorResponse, prepareErrorResponse } from '../http/error.filter';

/** How long the rest of an unwanted body may take before the connection is closed. */
const DISCARD_MS = 500;

/** What the router knows of a route beyond its address. */
interface RouteFacts {
  access?: RouteAccess;
}

type Handler = (...args: never[]) => unknown;

/**
 * Checks the key of every request before its body is read, so that nobody without a live key is given memory, time or a connection to hold.
 * Nest's guards come too late for that. Closed by default: a route that says nothing takes a user's key.
 */
export function authenticateBeforeParsing(app: NestFastifyApplication, adapter: FastifyAdapter): void {
  copyRouteAccess(app);
  const server = adapter.getInstance();
  const keys = app.get(BearerAuthService);
  server.addHook('onRoute', (route) => {
    if (/^\/docs($|[/-])/.test(route.url)) route.config = { ...route.config, access: 'public' };
  });
  // After all hooks of onRequest, which answer what no route serves and set the headers of every answer, those of CORS among them.
  server.addHook('preParsing', (request, reply, _payload, done) => {
    const { access = 'user' } = request.routeOptions.config as RouteFacts;
    const passed = keys.authenticate(access, request, reply);
    if (passed === true) return done();
    passed.then(() => done(), (error: unknown) => refuse(error, request, reply));
  });
}

/** Copies whose key a route takes from its decorators into its configuration at the router. */
function copyRouteAccess(app: NestFastifyApplication): void {
  const reflector = app.get(Reflector);
  const scanner = app.get(MetadataScanner);
  for (const { metatype } of app.get(DiscoveryService).getControllers()) {
    if (!(metatype instanceof Function)) continue;
    const prototype = metatype.prototype as Record<string, Handler>;
    for (const handler of scanner.getAllMethodNames(prototype).map((name) => prototype[name]).filter((method) => method !== undefined)) {
      const access = reflector.getAllAndOverride<RouteAccess | undefined>(ROUTE_ACCESS, [handler, metatype]);
      const others = Reflect.getMetadata(RouteConfig({}).KEY, handler) as object | undefined;
      RouteConfig({ ...others, access })(handler);
    }
  }
}

/** Answers at once. A body that is still under way is thrown away for a moment, because a caller in the middle of sending would find the connection reset and miss the answer. */
function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.complete) return sendErrorResponse(error, request, reply);
  const body = Buffer.from(JSON.stringify(prepareErrorResponse(error, request, reply)));
  void reply.headers({ connection: 'close', 'content-length': body.length }).send(Readable.from(heldOpen(body, request.raw)));
}

async function* heldOpen(body: Buffer, request: IncomingMessage): AsyncGenerator<Buffer> {
  yield body;
  request.resume();
  await once(request, 'close', { signal: AbortSignal.timeout(DISCARD_MS) }).catch(() => undefined);
}
