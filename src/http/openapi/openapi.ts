import type { INestApplication } from '@nestjs/common';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

import { ApiError } from '../../common/errors';
import { sendErrorResponse } from '../error.filter';
import { pathOf } from '../method-not-allowed';
import { DESCRIPTION } from './description';
import { finishDocument } from './finish-document';

/** The files of the Swagger UI page; its package contains more, including another page. */
const PAGE_FILES = new Set([
  '/docs', '/docs/', '/docs/swagger-ui-init.js', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui-standalone-preset.js', '/docs/favicon-16x16.png', '/docs/favicon-32x32.png',
]);

/** The API document, OpenAPI 3.1, generated from the controllers. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Model Comparison Service')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addServer('/', 'This service')
    .addSecurity('apiKey', { type: 'http', scheme: 'bearer', description: "A user's API key. Paste the key alone, without \"Bearer\"." })
    .addSecurity('operator', { type: 'http', scheme: 'bearer', description: 'The admin key, `ADMIN_API_KEY`, for the admin group. Paste the key alone, without "Bearer".' })
    .addTag('compare', 'Run one prompt against several models.')
    .addTag('evals', 'Past comparisons.')
    .addTag('models', 'What can be called, and at which price.')
    .addTag('key', 'What the key in use may do, and what is left of its limits.')
    .addTag('usage', "A month's usage and charge.")
    .addTag('billing', 'A payment method.')
    .addTag('admin', 'Users, keys and the audit log; takes the admin key.')
    .build();
  base.info.contact = { name: 'The operator of this service' };
  const operationIdFactory = (controller: string, method: string) => `${controller.replace('Controller', '').toLowerCase()}_${method}`;
  return finishDocument(SwaggerModule.createDocument(app, base, { operationIdFactory }));
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
