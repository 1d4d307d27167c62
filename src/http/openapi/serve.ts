import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { openApiDocument } from './document.js';
import { servePageFiles } from './page-files.js';
import { DOCS_PATH, OPENAPI_PATH } from './paths.js';

/**
 * Serves the description and its page; everything that the page loads comes from this service. The
 * description is made when it is asked for first: a node that starts need not wait for it.
 */
export function serveOpenApi(app: NestFastifyApplication, publicBaseUrl: string): void {
  const description = once(() => openApiDocument(app, publicBaseUrl));
  const text = once(() => JSON.stringify(description()));
  const fastify = app.getHttpAdapter().getInstance();
  fastify.get(OPENAPI_PATH, (_request, reply) => {
    void reply.type('application/json; charset=utf-8').send(text());
  });
  servePageFiles(fastify);
  SwaggerModule.setup(DOCS_PATH, app, description, {
    raw: false,
    customSiteTitle: 'Countersign',
    swaggerOptions: { persistAuthorization: false, validatorUrl: null, tryItOutEnabled: true },
  });
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
