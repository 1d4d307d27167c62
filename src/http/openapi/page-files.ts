import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { RejectionException } from '../rejection-exception.js';
import { shared } from '../shared-answers.js';
import { DOCS_PATH } from './paths.js';

/** What the page loads of its package, besides what is made for it, and as what. */
const PAGE_FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
} as const;

/** The one route of the page that would read files for each request anew. */
const ALL_OTHERS = `${DOCS_PATH}/*`;

/**
 * Serves the files that the page loads from one copy in memory each, read when it is asked for first.
 * The other files of the package are not served: nobody needs them.
 */
export function servePageFiles(fastify: FastifyInstance): void {
  const folder = packageFolder();
  for (const [name, type] of Object.entries(PAGE_FILES)) {
    let bytes: Promise<Buffer> | undefined;
    fastify.get(`${DOCS_PATH}/${name}`, async (_request, reply) => {
      bytes ??= readFile(join(folder, name)).then(shared);
      reply.type(type);
      return await bytes;
    });
  }
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.url === ALL_OTHERS)
      done(new RejectionException({ code: 'not-found' }));
    else done();
  });
}

/** Of the very package that makes the page. */
function packageFolder(): string {
  const swagger = createRequire(import.meta.url).resolve('@nestjs/swagger');
  return dirname(createRequire(swagger).resolve('swagger-ui-dist/package.json'));
}
