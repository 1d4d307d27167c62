import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import {
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { IsString, Matches } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { Public } from '../http/access.js';
import { decodeCursor, encodeCursor, type CursorScope } from '../http/cursor.js';
import { IfPresent } from '../http/dto-pipe.js';
import { Problems } from '../http/openapi/problems.js';
import { orReject } from '../http/rejection-exception.js';
import {
  PlatformKeyDocument,
  platformKeyDocument,
  publishedJwks,
} from './platform-key-documents.js';
import { PlatformKeyring } from './platform-keyring.js';

class PageQuery {
  @ApiPropertyOptional({ description: 'Keys per page, 1 to 500; default 100' })
  @IfPresent()
  @Matches(/^(?:[1-9]\d?|[1-4]\d\d|500)$/, { message: 'limit must be a number from 1 to 500' })
  readonly limit?: string;

  @ApiPropertyOptional({ description: '`nextCursor` of the page before' })
  @IfPresent()
  @IsString()
  readonly cursor?: string;
}

class PlatformKeyPage {
  @ApiProperty({ type: [PlatformKeyDocument], description: 'In the order of their registration' })
  readonly keys!: readonly PlatformKeyDocument[];

  @ApiPropertyOptional({ description: 'Absent on the last page' })
  readonly nextCursor?: string;
}

const SCOPE: CursorScope = { list: 'platform-keys', filters: {}, key: ['number'] };

/** New keys must be seen soon: what a verifier does not know it cannot verify. */
const CACHE_CONTROL = 'public, max-age=60';

@ApiTags('platform keys')
@Controller()
export class PlatformKeysController {
  constructor(@Inject(PlatformKeyring) private readonly keyring: PlatformKeyring) {}

  @Get('v1/platform-keys')
  @Public({ readsWrites: true, shared: true })
  @ApiOperation({ summary: 'Every key that the platform ever signed with, and its window' })
  @ApiResponse({ status: 200, description: 'One page.', type: PlatformKeyPage })
  @Problems('request-invalid', 'cursor-invalid')
  async list(
    @Query() { limit = '100', cursor }: PageQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PlatformKeyPage> {
    const after = cursor === undefined ? -1 : Number(orReject(decodeCursor(SCOPE, cursor))[0]);
    const keys = [...(await this.keyring.keys()).values()];
    const rest = keys.filter(({ addedAtRevision }) => addedAtRevision > after);
    const page = rest.slice(0, Number(limit));
    const last = page.at(-1);
    reply.header('cache-control', CACHE_CONTROL);
    return {
      keys: page.map(platformKeyDocument),
      ...(last === undefined || page.length === rest.length
        ? {}
        : { nextCursor: encodeCursor(SCOPE, [last.addedAtRevision]) }),
    };
  }

  @Get('.well-known/jwks.json')
  @Public({ shared: true })
  @ApiOperation({
    summary:
      'The keys that verify agent cards, and the tokens which backends get from this service',
  })
  @ApiResponse({
    status: 200,
    description: 'A JWK Set (RFC 7517).',
    schema: { type: 'object', properties: { keys: { type: 'array', items: { type: 'object' } } } },
  })
  async jwks(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    reply.header('cache-control', CACHE_CONTROL);
    return publishedJwks(await this.keyring.keys());
  }
}
