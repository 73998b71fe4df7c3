import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LogController, type FastifyReply, type FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { serveApiDocument } from './api-document';
import { AppModule } from './app.module';
import { Clock } from './common/clock';
import type { Config } from './common/config';
import { answerError } from './common/error.filter';
import { ApiError, errorBody } from './common/errors';
import { newId } from './common/ids';
import { createLogger, NestLog } from './common/logger';

const REQUEST_ID = /^[\w.:-]{8,64}$/;

/** Builds the application; the service, the API document and nothing else come from here. */
export async function createApp(config: Config): Promise<NestFastifyApplication> {
  const clock = new Clock();
  const logger = createLogger(config.LOG_LEVEL);
  const adapter = new FastifyAdapter({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.MAX_BODY_BYTES,
    trustProxy: config.TRUST_PROXY,
    ...patience(config),
    genReqId: (request: IncomingMessage) => requestIdOf(request, clock),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => answerError(error, request, reply),
    clientErrorHandler: (error: Error & { code?: string }, socket: Socket) => answerUnreadable(error, socket, clock),
  });
  observeRequests(adapter);
  keepRawBodies(adapter);
  if (config.payments === 'manual') logger.info('payments are manual: the operator notes payment methods (STRIPE_SECRET_KEY is not set)');
  const app = await NestFactory.create<NestFastifyApplication>(await AppModule.with(config), adapter, {
    logger: new NestLog(logger),
    // A start that fails is told by main, in words.
    abortOnError: false,
    // Fastify's own JSON parser, whose errors say what was wrong; Nest would add its own and one for forms.
    bodyParser: false,
  });
  app.setGlobalPrefix('api/v1', { exclude: ['health/live', 'health/ready'] });
  serveApiDocument(app);
  return app;
}

/** A load balancer in front usually keeps idle connections for 60 s, and must be the one that ends them. */
const KEEP_ALIVE_MS = 72_000;

/** How long a connection may take over what it does, so that slow and silent clients hold nothing for long. */
function patience({ REQUEST_TIMEOUT_MS: arrivalMs, EVAL_TIMEOUT_MS: evalMs }: Config) {
  // Node looks for late requests now and then; what is late at one look must have begun a look before the time is up.
  const lookMs = Math.ceil(arrivalMs / 10);
  return {
    requestTimeout: arrivalMs - lookMs,
    http: { headersTimeout: arrivalMs - lookMs, connectionsCheckingInterval: lookMs },
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Without a byte in either direction: a reader who no longer reads. A compare is silent for as long as it runs.
    connectionTimeout: evalMs + arrivalMs,
  };
}

function requestIdOf(request: IncomingMessage, clock: Clock): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId('req', clock.now());
}

/** Every answer carries its request id, and leaves one line in the log. */
function observeRequests(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  server.removeContentTypeParser('text/plain');
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  server.addHook('onResponse', async (request, reply) => {
    request.log.info({
      method: request.method,
      // The path without its query, which is the caller's business.
      path: request.url.split('?')[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }, 'request');
  });
}

/** A route with `rawBody` in its config gets the text of its JSON, over which somebody has signed. */
function keepRawBodies(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if ((request.routeOptions.config as { rawBody?: boolean }).rawBody === true) done(null, body);
    else void parse(request, body, done);
  });
}

/** A request that is no HTTP gets the one error body all the same, written by hand because there is no reply object. */
function answerUnreadable(error: Error & { code?: string }, socket: Socket, clock: Clock): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const code = error.code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'timeout' : 'invalid_request';
  const answer = new ApiError(code);
  const body = JSON.stringify(errorBody(answer, newId('req', clock.now())));
  socket.end(`HTTP/1.1 ${answer.status} Error\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`, () => socket.destroy());
}
