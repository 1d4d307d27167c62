import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/tokens.js';
import type { JsonObject } from '../kernel/json.js';
import { Public } from './access.js';
import { Problems } from './openapi/problems.js';
import { RejectionException } from './rejection-exception.js';
import { SCHEMA_NAMES, schemaText } from './schema-files.js';

/** The JSON Schemas of the wire documents and of the events, under this deployment's own address. */
@ApiTags('schemas')
@Controller('schemas')
export class SchemasController {
  readonly #schemas: ReadonlyMap<string, JsonObject>;

  constructor(@Inject(CONFIG) { publicBaseUrl }: Config) {
    this.#schemas = new Map(
      Array.from(SCHEMA_NAMES, (name) => [
        name,
        JSON.parse(schemaText(name, publicBaseUrl)) as JsonObject,
      ]),
    );
  }

  @Get(':folder/:file')
  @Public({ shared: true })
  @ApiOperation({ summary: 'The JSON Schema (2020-12) of a wire document or of an event type' })
  @ApiParam({ name: 'folder', schema: { type: 'string', enum: ['v0.1', 'events'] } })
  @ApiParam({ name: 'file', example: 'federated-interaction.schema.json' })
  @ApiResponse({
    status: 200,
    description: 'The schema.',
    content: { 'application/schema+json': { schema: { type: 'object' } } },
  })
  @Problems('not-found')
  schema(
    @Param('folder') folder: string,
    @Param('file') file: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): JsonObject {
    const schema = this.#schemas.get(`${folder}/${file}`);
    if (schema === undefined) throw new RejectionException({ code: 'not-found' });
    reply.headers({
      'content-type': 'application/schema+json; charset=utf-8',
      'cache-control': 'public, max-age=3600',
    });
    return schema;
  }
}
