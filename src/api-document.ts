import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

const DESCRIPTION = 'Sends one prompt to several language models at once and returns a structured comparison with latency, tokens and exact cost. '
  + 'Press "Authorize" and paste an API key (the admin group takes the operator\'s key). Amounts are exact decimals in US dollars.';

/** The API document, OpenAPI 3.1, generated from the controllers. */
export function apiDocument(app: INestApplication): OpenAPIObject {
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
    .addTag('admin', "Users and keys; takes the operator's key")
    .build();
  return SwaggerModule.createDocument(app, base, { operationIdFactory: (controller, method) => `${controller.replace('Controller', '').toLowerCase()}_${method}` });
}

/** Serves the document at /docs-json and Swagger UI at /docs. */
export function serveApiDocument(app: INestApplication): void {
  // Made when somebody first asks for it.
  SwaggerModule.setup('docs', app, () => apiDocument(app), {
    jsonDocumentUrl: 'docs-json',
    customSiteTitle: 'Model Comparison Service',
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, tryItOutEnabled: true },
  });
}
