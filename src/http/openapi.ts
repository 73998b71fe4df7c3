import type { INestApplication } from '@nestjs/common';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

import { sendErrorResponse } from './error.filter';
import { ApiError } from '../common/errors';
import { pathOf } from './method-not-allowed';

/** The files of the Swagger UI page; its package contains more, including another page. */
const PAGE_FILES = new Set([
  '/docs', '/docs/', '/docs/swagger-ui-init.js', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui-standalone-preset.js', '/docs/favicon-16x16.png', '/docs/favicon-32x32.png',
]);

const DESCRIPTION = 'Sends one prompt to several language models at once and returns a structured comparison with latency, tokens and exact cost. '
  + 'Press "Authorize" and paste an API key (the admin group requires the admin key). Amounts are exact decimals in US dollars.';

/** The API document, OpenAPI 3.1, generated from the controllers. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Model Comparison Service')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <API_KEY>' })
    .addTag('compare', 'Run one prompt against several models')
    .addTag('evals', 'Past comparisons')
    .addTag('models', 'What can be called, at which price')
    .addTag('usage', "A month's usage and charge")
    .addTag('billing', 'A payment method')
    .addTag('admin', "Users and keys; requires the admin key")
    .build();
  return SwaggerModule.createDocument(app, base, { operationIdFactory: (controller, method) => `${controller.replace('Controller', '').toLowerCase()}_${method}` });
}

/** Serves the document at /docs-json and Swagger UI at /docs. */
export function setupSwagger(app: INestApplication): void {
  // Built on the first request for it.
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app), {
    jsonDocumentUrl: 'docs-json',
    raw: ['json'],
    customSiteTitle: 'Model Comparison Service',
    swaggerOptions: { displayRequestDuration: true, tryItOutEnabled: true },
  });
}

/** Answers 404 to everything under /docs that is not a file of the page; must run before other hooks look for it. */
export function hideUnusedDocsFiles(adapter: FastifyAdapter): void {
  adapter.getInstance().addHook('onRequest', (request, reply, done) => {
    const path = pathOf(request.url);
    const isDocs = path.startsWith('/docs/') || (request.routeOptions.config as { isPage?: boolean }).isPage === true;
    if (!isDocs || PAGE_FILES.has(path)) return done();
    sendErrorResponse(new ApiError('not_found'), request, reply);
  });
}
