import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { RouteConfig, type FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors';
import { briefly } from '../../platform/database/urgency';
import { prepareErrorResponse, sendErrorResponse } from '../../platform/http/error.filter';
import { ROUTE_ACCESS, type IdentifiedRequest, type RouteAccess } from './auth.decorators';
import { RateLimiterService } from '../../platform/rate-limiting/rate-limiter.service';
import { webPageOf } from '../../platform/http/web-pages';
import { AuthService } from './auth.service';
import { describeCredentials } from './wrong-credentials';

/** How long the rest of a refused body is read and discarded before the connection is closed. */
const DISCARD_MS = 500;
/** As Node reads it. */
const AWAITS_CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

type Handler = (...args: never[]) => unknown;

const READS = new Set(['GET', 'HEAD']);

/**
 * Authenticates every request in Fastify's `preParsing` hook, before its body is read: a caller without a valid key
 * gets no memory, time or connection to hold.
 * Nest's guards run after parsing, which is too late. Closed by default: a route without a decorator requires a user's
 * key.
 */
export function authenticateBeforeParsing(app: NestFastifyApplication, adapter: FastifyAdapter): void {
  copyRouteAccess(app);
  const server = adapter.getInstance();
  const identify = identifier(app.get(AuthService), app.get(RateLimiterService));
  server.addHook('onRoute', (route) => {
    if (webPageOf(route.url) !== undefined || route.url.startsWith('/docs-'))
      route.config = { ...route.config, access: 'public' };
  });
  // All onRequest hooks have run by then; they answer unmatched routes and set the headers of every response, those of
  // CORS included.
  server.addHook('preParsing', (request, reply, _payload, done) => {
    const { access = 'user' } = request.routeOptions.config as { access?: RouteAccess };
    const authenticate = () =>
      identify(access, request, reply).then(
        () => {
          if (AWAITS_CONTINUE.test(request.headers.expect ?? '') && request.raw.httpVersion === '1.1')
            reply.raw.writeContinue();
          done();
        },
        (error: unknown) => refuse(error, request, reply),
      );
    // While the pool is full, reads are refused soon; compares wait, as they do for a failover.
    void (READS.has(request.method) ? briefly(authenticate) : authenticate());
  });
}

type Identify = (
  access: RouteAccess,
  request: FastifyRequest & IdentifiedRequest,
  reply: FastifyReply,
) => Promise<void>;

/**
 * Sets on a request who sends it, by its `Authorization: Bearer` header, with a key of the kind that the route accepts.
 * @throws ApiError unauthorized, forbidden, rate_limited
 */
function identifier(auth: AuthService, limiter: RateLimiterService): Identify {
  return async (access, request, reply) => {
    if (access === 'public') return;
    const secret = /^Bearer +([\x21-\x7e]+)$/i.exec((request.headers.authorization ?? '').trim())?.[1];
    if (access === 'admin' && secret !== undefined && auth.isAdminKey(secret)) {
      request.adminKey = auth.adminKeyFingerprint;
      return;
    }
    const caller = secret === undefined ? undefined : await auth.authenticate(secret);
    if (caller === undefined) {
      await limiter.consumeAuthFailure(request.ip, reply);
      reply.header('www-authenticate', 'Bearer');
      throw unauthorized(request, access);
    }
    if (access === 'admin') throw new ApiError('forbidden', { message: 'This endpoint requires the admin key.' });
    request.caller = caller;
    request.rateLimitKey = caller.keyId;
  };
}

function unauthorized({ headers }: FastifyRequest, access: RouteAccess): ApiError {
  const message = describeCredentials(headers, access === 'admin');
  return new ApiError('unauthorized', message === undefined ? {} : { message });
}

/** Copies the access of each route from its decorators to its route config, where a Fastify hook can read it. */
function copyRouteAccess(app: NestFastifyApplication): void {
  const reflector = app.get(Reflector);
  const scanner = app.get(MetadataScanner);
  for (const { metatype } of app.get(DiscoveryService).getControllers()) {
    if (!(metatype instanceof Function)) continue;
    const prototype = metatype.prototype as Record<string, Handler>;
    for (const handler of scanner
      .getAllMethodNames(prototype)
      .map((name) => prototype[name])
      .filter((method) => method !== undefined)) {
      const access = reflector.getAllAndOverride<RouteAccess | undefined>(ROUTE_ACCESS, [handler, metatype]);
      const existing = Reflect.getMetadata(RouteConfig({}).KEY, handler) as object | undefined;
      RouteConfig({ ...existing, access })(handler);
    }
  }
}

/**
 * Responds at once. A body that is still arriving is discarded for a moment, because a caller that is still sending
 * would see a reset connection and miss the response.
 */
function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.complete) return sendErrorResponse(error, request, reply);
  const body = Buffer.from(JSON.stringify(prepareErrorResponse(error, request, reply)));
  void reply
    .headers({ connection: 'close', 'content-length': body.length })
    .send(Readable.from(bodyThenDiscard(body, request.raw)));
}

async function* bodyThenDiscard(body: Buffer, request: IncomingMessage): AsyncGenerator<Buffer> {
  yield body;
  request.resume();
  await once(request, 'close', { signal: AbortSignal.timeout(DISCARD_MS) }).catch(() => undefined);
}
