import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LogController, type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from 'fastify';
import { AppModule } from './app.module';
import { authenticateBeforeParsing } from './auth/authenticate-before-parsing';
import { Clock } from './common/clock';
import type { Config } from './common/config';
import { Drain } from './common/drain';
import { newId } from './common/ids';
import { createLogger, createRequestLogger, NestLog, type RequestLine } from './common/logger';
import { Metrics } from './common/metrics';
import { registerSecrets } from './common/redaction';
import { sendErrorResponse } from './http/error.filter';
import { addJsonBodyParser } from './http/json-body-parser';
import { handleClientError, handleMalformedRequests } from './http/malformed-requests';
import { handleUnmatchedRoutes } from './http/method-not-allowed';
import { setupSwagger } from './http/openapi/openapi';
import { servePlayground } from './http/playground';
import { enableCors, apiHeaders, addSecurityHeaders } from './http/security-headers';
import { serverTimeouts } from './http/server-timeouts';

const REQUEST_ID = /^[\w.:-]{8,64}$/;

/** Builds the application; the service, the API document and nothing else come from here. */
export async function createApp(config: Config): Promise<NestFastifyApplication> {
  registerSecrets(config as unknown as Record<string, unknown>);
  const clock = new Clock();
  const logger = createLogger(config.LOG_LEVEL, config.LOG_PROMPTS);
  const drain = new Drain();
  const adapter = newAdapter(config, { clock, logger, drain });
  observeRequests(adapter, drain, createRequestLogger(config.LOG_LEVEL));
  addSecurityHeaders(adapter, config);
  declareRequestProperties(adapter);
  handleMalformedRequests(adapter, clock);
  handleUnmatchedRoutes(adapter);
  addJsonBodyParser(adapter);
  if (config.payments === 'manual') logger.info('payments are manual: payment methods are recorded by an admin (STRIPE_SECRET_KEY is not set)');
  const app = await NestFactory.create<NestFastifyApplication>(await AppModule.register(config, drain), adapter, {
    logger: new NestLog(logger),
    // A start that fails is told by main, in words.
    abortOnError: false,
    // Fastify's own JSON parser, whose errors say what was wrong; Nest would add its own and one for forms.
    bodyParser: false,
  });
  app.setGlobalPrefix('api/v1', { exclude: ['health/live', 'health/ready', 'metrics'] });
  measureRequests(adapter, app.get(Metrics));
  enableCors(app, config);
  authenticateBeforeParsing(app, adapter);
  setupSwagger(app);
  if (config.PAGE && !servePlayground(adapter)) logger.warn('the page was not built, so it is not served; npm run build builds it');
  return app;
}

/** Fastify's server with what only its options can say. */
function newAdapter(config: Config, { clock, logger, drain }: { clock: Clock; logger: ReturnType<typeof createLogger>; drain: Drain }): FastifyAdapter {
  const timeouts = serverTimeouts(config);
  return new FastifyAdapter({
    loggerInstance: logger,
    // One logger for all: a child for each request would cost a twentieth of a read; lines that need it name the request themselves.
    childLoggerFactory: (shared: FastifyBaseLogger) => shared,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.MAX_BODY_BYTES,
    trustProxy: trustedProxies(config),
    ...timeouts,
    // Ours answers in the one error body.
    http: { ...timeouts.http, requireHostHeader: false },
    // So that an id of any length is looked up, and missing, like every other; headers end it.
    routerOptions: { maxParamLength: 16_384 },
    // The router would take the target of `OPTIONS *` for the page at `/`.
    rewriteUrl: ({ url = '' }) => (url.startsWith('*') ? `/${url}` : url),
    genReqId: (request: IncomingMessage) => requestIdOf(request, clock),
    // Whoever still gets through while the service stops is answered like everybody.
    return503OnClosing: false,
    // No hook runs for an address that cannot be decoded.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => answerWithoutHooks(error, request, reply, { config, drain }),
    clientErrorHandler: (error: Error & { code?: string }, socket: Socket) => handleClientError(error, socket, clock),
  });
}

function answerWithoutHooks(error: Error, request: FastifyRequest, reply: FastifyReply, { config, drain }: { config: Config; drain: Drain }): void {
  drain.track(reply.raw);
  sendErrorResponse(error, request, reply.headers({ ...apiHeaders(config), 'x-request-id': request.id }));
}

/** Which addresses of a request's way may say where it came from. Fastify itself trusts nobody when it is given a number. */
function trustedProxies({ TRUST_PROXY: trusted }: Config): boolean | string[] | ((address: string, hop: number) => boolean) {
  return typeof trusted === 'number' ? (_address, hop) => hop < trusted : trusted;
}

function requestIdOf(request: IncomingMessage, clock: Clock): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId('req', clock.now());
}

/** Declares the properties that authentication sets on requests, as Fastify documents: one added later would change the shape of every request, which slows down whatever reads it. */
function declareRequestProperties(adapter: FastifyAdapter): void {
  adapter.getInstance().decorateRequest('caller', undefined).decorateRequest('adminKey', undefined).decorateRequest('rateLimitKey', undefined);
}

/** Every answer carries its request id, is owed until it is written, and leaves one line in the log. */
function observeRequests(adapter: FastifyAdapter, drain: Drain, log: FastifyBaseLogger): void {
  const server = adapter.getInstance();
  server.addHook('onRequest', (request, reply, done) => {
    drain.track(reply.raw);
    reply.header('x-request-id', request.id);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const [path = ''] = request.url.split('?', 1);
    const line: RequestLine = { reqId: request.id, method: request.method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    if (isProbe(line)) log.debug(line, 'request');
    else log.info(line, 'request');
    done();
  });
}

/** Asked again and again by machines: their lines would be most of the log. */
function isProbe({ path, status }: RequestLine): boolean {
  return path === '/health/live' || path === '/health/ready' || (path === '/metrics' && status === 200);
}

/** Counts and times every answer under the pattern of its route, never under its address. */
function measureRequests(adapter: FastifyAdapter, metrics: Metrics): void {
  adapter.getInstance().addHook('onResponse', (request, reply, done) => {
    const { url } = request.routeOptions;
    const [route, method] = url === undefined ? ['none', 'any'] : [url, request.method];
    metrics.requests.inc({ route, method, status: `${Math.floor(reply.statusCode / 100)}xx` });
    metrics.requestSeconds.observe({ route, method }, reply.elapsedTime / 1000);
    done();
  });
}
