import type { INestApplication } from '@nestjs/common';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { version } from '../../../common/version';
import { DESCRIPTION } from './description';
import { serveDocsPage, serveJsonDocument } from './docs-page';
import { finishDocument } from './finish-document';
import { serveGuide } from './guide';

/** The API document, OpenAPI 3.1, generated from the controllers. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Model Comparison Service')
    .setDescription(DESCRIPTION)
    .setVersion(version)
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addServer('/', 'This service')
    .addSecurity('apiKey', {
      type: 'http',
      scheme: 'bearer',
      description: 'A user\'s API key. Paste the key alone, without "Bearer".',
    })
    .addSecurity('operator', {
      type: 'http',
      scheme: 'bearer',
      description: 'The admin key, `ADMIN_API_KEY`, for the admin group. Paste the key alone, without "Bearer".',
    })
    .addTag('compare', 'Run one prompt against several models.')
    .addTag('evals', 'Past comparisons.')
    .addTag('checks', 'What a good answer is, decided by code.')
    .addTag('datasets', 'Rows of inputs and expected answers for experiments.')
    .addTag('experiments', 'One prompt for the rows of a data set and several models, under a cap of cost.')
    .addTag('runs', 'Compares in the background (`Prefer: respond-async`).')
    .addTag('shares', 'Links that show an eval to people without a key.')
    .addTag('models', 'What can be called, and at which price.')
    .addTag('key', 'What the key in use may do, and what is left of its limits.')
    .addTag('usage', "A month's usage and charge.")
    .addTag('billing', 'A payment method.')
    .addTag('admin', 'Users, keys and the audit log; takes the admin key.')
    .build();
  base.info.contact = { name: 'The operator of this service' };
  const operationIdFactory = (controller: string, method: string) =>
    `${controller.replace('Controller', '').toLowerCase()}_${method}`;
  return finishDocument(SwaggerModule.createDocument(app, base, { operationIdFactory }));
}

/** Serves the document at /docs-json and /docs-yaml, Swagger UI at /docs, and the guide at /docs/guide. */
export function setupSwagger(app: NestFastifyApplication): void {
  const adapter = app.getHttpAdapter() as FastifyAdapter;
  // The document is built on the first request for it.
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app), {
    ui: false,
    raw: ['yaml'],
    yamlDocumentUrl: 'docs-yaml',
  });
  serveJsonDocument(adapter, '/docs-json', () => createOpenApiDocument(app));
  serveDocsPage(adapter);
  serveGuide(adapter);
}
