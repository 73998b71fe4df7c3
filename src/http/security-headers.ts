import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import helmet from 'helmet';
import type { Config } from '../common/config';

/** Headers of API responses, which are data and never a page: no script, frame, content sniffing or caching. */
const API_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** The one style block that the bundle of Swagger UI adds to the page; the page itself has none. */
const DOCS_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

const DOCS_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", DOCS_STYLE],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

const EXPOSED_HEADERS = ['X-Request-Id', 'Location', 'Link', 'ETag', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'Idempotency-Replayed'];

/** The headers of every API response. */
export function apiHeaders({ HSTS_SECONDS }: Config): Record<string, string> {
  return HSTS_SECONDS === 0 ? API_HEADERS : { ...API_HEADERS, 'strict-transport-security': `max-age=${HSTS_SECONDS}` };
}

/** Adds security headers: Helmet's to the Swagger UI page, and a few constant ones to API responses. */
export function addSecurityHeaders(adapter: FastifyAdapter, config: Config): void {
  const server = adapter.getInstance();
  const headers = apiHeaders(config);
  const docsHeaders = helmet({
    contentSecurityPolicy: DOCS_POLICY,
    strictTransportSecurity: config.HSTS_SECONDS === 0 ? false : { maxAge: config.HSTS_SECONDS, includeSubDomains: false },
  });
  server.addHook('onRoute', (route) => {
    if (/^\/docs(\/|$)/.test(route.url)) route.config = { ...route.config, isPage: true };
  });
  server.addHook('onRequest', (request, reply, done) => {
    if ((request.routeOptions.config as { isPage?: boolean }).isPage === true) return docsHeaders(request.raw, reply.raw, (error) => done(error as Error | undefined));
    void reply.headers(headers);
    done();
  });
}

/** Enables CORS for CORS_ORIGINS; must run before routes are registered. */
export function enableCors(app: NestFastifyApplication, { CORS_ORIGINS }: Config): void {
  if (CORS_ORIGINS.length === 0) return;
  app.enableCors({ origin: CORS_ORIGINS, methods: ['GET', 'POST', 'PATCH', 'DELETE'], exposedHeaders: EXPOSED_HEADERS, maxAge: 600, strictPreflight: false });
}
