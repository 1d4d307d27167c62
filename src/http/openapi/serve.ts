import type { INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
import { openApiDocument } from './document.js';
import { DOCS_PATH, OPENAPI_PATH } from './paths.js';

/**
 * Serves the description and its page; everything that the page loads comes from this service. The
 * description is made when it is asked for first: a node that starts need not wait for it.
 */
export function serveOpenApi(app: INestApplication, publicBaseUrl: string): void {
  SwaggerModule.setup(DOCS_PATH, app, () => openApiDocument(app, publicBaseUrl), {
    jsonDocumentUrl: OPENAPI_PATH,
    raw: ['json'],
    customSiteTitle: 'Countersign',
    swaggerOptions: { persistAuthorization: false, validatorUrl: null, tryItOutEnabled: true },
  });
}
