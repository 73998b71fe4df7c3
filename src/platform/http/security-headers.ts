import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import helmet from 'helmet';
import type { Config } from '../config/config';
import { webPageOf, type WebPage } from './web-pages';

/** Headers of API responses, which are data and never a page: no script, frame, content sniffing or caching. */
export const API_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** The one style block that the bundle of Swagger UI adds to the page; the page itself has none. */
const DOCS_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

const PAGE_DIRECTIVES = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/**
 * The content that may load and run on each page: no script in the guide. On the page of the screens no code can turn
 * text into markup: Trusted Types without any policy.
 */
const DIRECTIVES: Readonly<Record<WebPage, Record<string, string[]>>> = {
  docs: { ...PAGE_DIRECTIVES, styleSrc: ["'self'", DOCS_STYLE] },
  guide: { ...PAGE_DIRECTIVES, scriptSrc: ["'none'"], connectSrc: ["'none'"] },
  page: { ...PAGE_DIRECTIVES, requireTrustedTypesFor: ["'script'"], trustedTypes: ["'none'"] },
};

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Location',
  'Link',
  'ETag',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
  'Preference-Applied',
];

/** Adds security headers: Helmet's to the pages and their files, and a few constant ones to API responses. */
export function addSecurityHeaders(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  const pageHeaders = (page: WebPage) =>
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES[page] },
      // A proxy ends TLS, so it sends this one.
      strictTransportSecurity: false,
    });
  const setPageHeaders = { docs: pageHeaders('docs'), guide: pageHeaders('guide'), page: pageHeaders('page') };
  server.addHook('onRoute', (route) => {
    const page = webPageOf(route.url);
    if (page !== undefined) route.config = { ...route.config, page };
  });
  server.addHook('onRequest', (request, reply, done) => {
    const { page } = request.routeOptions.config as { page?: WebPage };
    if (page !== undefined)
      return setPageHeaders[page](request.raw, reply.raw, (error) => done(error as Error | undefined));
    void reply.headers(API_HEADERS);
    done();
  });
}

/** Enables CORS for CORS_ORIGINS; must run before routes are registered. */
export function enableCors(app: NestFastifyApplication, { CORS_ORIGINS }: Config): void {
  if (CORS_ORIGINS.length === 0) return;
  app.enableCors({
    origin: CORS_ORIGINS,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
    strictPreflight: false,
  });
}
