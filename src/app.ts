import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LogController, type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from 'fastify';
import { AppModule } from './app.module';
import { authenticateBeforeParsing } from './modules/auth/authenticate-before-parsing';
import { Clock } from './common/clock';
import type { Config } from './platform/config/config';
import { MAX_BODY_BYTES } from './platform/config/request-limits';
import { Drain } from './platform/background/drain';
import { newId } from './common/ids';
import { createLogger, createRequestLogger, NestLog } from './platform/observability/logger';
import { Metrics } from './platform/observability/metrics';
import { registerSecrets } from './platform/observability/redaction';
import { traceFields } from './platform/observability/spans';
import { sendErrorResponse } from './platform/http/error.filter';
import { addJsonBodyParser } from './platform/http/json-body-parser';
import { addStreamedBodyParsers } from './platform/http/streamed-body';
import { handleClientError, handleMalformedRequests, refuseAmbiguous } from './platform/http/malformed-requests';
import { handleUnmatchedRoutes } from './platform/http/method-not-allowed';
import { setupSwagger } from './platform/http/openapi/openapi';
import { serveWebPage } from './platform/http/web-page';
import { REQUEST_FACTS } from './platform/http/request-facts';
import { RequestObserver } from './platform/http/request-observer';
import { enableCors, API_HEADERS, addSecurityHeaders } from './platform/http/security-headers';
import { serverTimeouts } from './platform/http/server-timeouts';
import { beginTrace, traceRequests } from './platform/http/trace-requests';

const REQUEST_ID = /^[\w.:-]{8,64}$/;

/** Builds the application; the service, the API document and nothing else come from here. */
export async function createApp(config: Config): Promise<NestFastifyApplication> {
  registerSecrets({ ...config, ...config.telemetry });
  const clock = new Clock();
  const [drain, metrics] = [new Drain(), new Metrics()];
  const onDropped = () => metrics.logLinesDropped.inc();
  const logger = createLogger(
    config.LOG_LEVEL,
    config.LOG_PROMPTS,
    config.tracesOn ? traceFields : undefined,
    onDropped,
  );
  const observer = new RequestObserver(drain, metrics, clock, createRequestLogger(config.LOG_LEVEL, onDropped));
  const adapter = newAdapter(config, { clock, logger, observer });
  observer.observeAll(adapter);
  if (config.tracesOn) traceRequests(adapter);
  addSecurityHeaders(adapter);
  declareRequestProperties(adapter);
  handleMalformedRequests(adapter, { clock, observer });
  handleUnmatchedRoutes(adapter);
  addJsonBodyParser(adapter);
  addStreamedBodyParsers(adapter);
  if (config.payments === 'manual')
    logger.info('payments are manual: payment methods are recorded by an admin (STRIPE_SECRET_KEY is not set)');
  const app = await NestFactory.create<NestFastifyApplication>(
    await AppModule.register(config, drain, metrics),
    adapter,
    {
      logger: new NestLog(logger),
      // main reports a failed start in words.
      abortOnError: false,
      // Fastify's own JSON parser, whose errors say what was wrong; Nest would add its own and one for forms.
      bodyParser: false,
    },
  );
  app.setGlobalPrefix('api/v1', { exclude: ['health/live', 'health/ready', 'mcp', 'metrics'] });
  enableCors(app, config);
  authenticateBeforeParsing(app, adapter);
  setupSwagger(app);
  if (config.PAGE && !serveWebPage(adapter))
    logger.warn('the page was not built, so it is not served; npm run build builds it');
  return app;
}

/** Fastify's server with what only its options can say. */
function newAdapter(
  config: Config,
  { clock, logger, observer }: { clock: Clock; logger: ReturnType<typeof createLogger>; observer: RequestObserver },
): FastifyAdapter {
  const timeouts = serverTimeouts(config);
  return new FastifyAdapter({
    loggerInstance: logger,
    // One logger for all: a child for each request would cost a twentieth of a read; lines that need it name the
    // request themselves.
    childLoggerFactory: (shared: FastifyBaseLogger) => shared,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: trustedProxies(config),
    ...timeouts,
    // No route has a schema of Fastify, so its compilers of schemas are not loaded.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // Ours answers in the one error body.
    http: { ...timeouts.http, requireHostHeader: false },
    // So that an id of any length is looked up, and missing, like every other; headers end it.
    routerOptions: { maxParamLength: 16_384 },
    // The router would take the target of `OPTIONS *` for the page at `/`.
    rewriteUrl: ({ url = '' }) => (url.startsWith('*') ? `/${url}` : url),
    genReqId: (request: IncomingMessage) => requestIdOf(request, clock),
    // Requests that arrive during shutdown are served normally.
    return503OnClosing: false,
    // No hook runs for an address that cannot be decoded.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      answerWithoutHooks(error, request, reply, { config, observer }),
    clientErrorHandler: (error: Error & { code?: string }, socket: Socket) =>
      handleClientError(error, socket, { clock, observer }),
  });
}

function noSchemas(): never {
  throw new Error('No route has a schema of Fastify.');
}

function answerWithoutHooks(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { config, observer }: { config: Config; observer: RequestObserver },
): void {
  if (config.tracesOn) beginTrace(request);
  observer.observe(request, reply.headers(API_HEADERS));
  if (!refuseAmbiguous(request, reply)) sendErrorResponse(error, request, reply);
}

/** The proxies that may set X-Forwarded-For. Fastify ignores a plain number, so it becomes a hop-count function. */
function trustedProxies({
  TRUST_PROXY: trusted,
}: Config): boolean | string[] | ((address: string, hop: number) => boolean) {
  return typeof trusted === 'number' ? (_address, hop) => hop < trusted : trusted;
}

function requestIdOf(request: IncomingMessage, clock: Clock): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId('req', clock.now());
}

/**
 * Declares the properties that are set on requests while they are answered, as Fastify documents: one added later would
 * change the shape of every request, which slows down whatever reads it.
 */
function declareRequestProperties(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  for (const name of ['caller', 'adminKey', 'rateLimitKey', ...REQUEST_FACTS]) server.decorateRequest(name, undefined);
}
