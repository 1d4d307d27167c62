import { Controller, Get, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../http/access.js';
import { Problems } from '../../http/openapi/problems.js';
import { RejectionException } from '../../http/rejection-exception.js';
import { PublishedLog } from './published-log.js';
import { bytesOf, isFull, isWithin, parseTilePath } from './tile-path.js';

/** A year: what a full tile holds never changes. */
const FULL_TILE_CACHE = 'public, max-age=31536000, immutable';
/** Partial tiles are soon of no use to anybody. */
const PARTIAL_TILE_CACHE = 'public, max-age=60';

/** What clients and monitors of C2SP logs read (c2sp.org/tlog-tiles): the prefix is `/log`. */
@ApiTags('transparency log')
@Controller('log')
export class LogTilesController {
  constructor(private readonly log: PublishedLog) {}

  @Get('checkpoint')
  @Public()
  @ApiOperation({ summary: 'The newest checkpoint: c2sp.org/tlog-checkpoint' })
  @ApiResponse({
    status: 200,
    description: 'A signed note, with the cosignatures of witnesses.',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  @Problems('beyond-checkpoint', 'log-inconsistent', 'checkpoint-behind')
  async checkpoint(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const checkpoint = await this.log.checkpoint();
    if (checkpoint === undefined) throw beyond('nothing has been published yet');
    reply.headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
    return checkpoint.note;
  }

  @Get('tile/*')
  @Public()
  @ApiOperation({
    summary: 'A hash tile: `<L>/<N>` or, partial, `<L>/<N>.p/<W>`',
    description:
      'c2sp.org/tlog-tiles section “Merkle Tree”. There are no entry bundles: entries are events, ' +
      'at /v1/events, for those who may read them. `path` is several segments: its slashes are sent ' +
      'as they are, or percent-encoded, as clients made from this description do.',
  })
  @ApiParam({ name: 'path', example: '0/x001/x234/067.p/8', schema: { type: 'string' } })
  @ApiResponse({
    status: 200,
    description: '1 to 256 hashes of 32 bytes.',
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  })
  @Problems('not-found', 'beyond-checkpoint', 'log-inconsistent', 'checkpoint-behind')
  async tile(
    @Req() request: FastifyRequest<{ Params: { '*': string } }>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const path = parseTilePath(request.params['*']);
    if (path === undefined) throw new RejectionException({ code: 'not-found' });
    const published = (await this.log.checkpoint())?.size ?? 0;
    // What is not published yet may still change, should the log be put back.
    if (!isWithin(path, published)) throw beyond();
    const hashes = this.log.tile(path.level, path.number).subarray(0, bytesOf(path));
    reply.header('cache-control', isFull(path) ? FULL_TILE_CACHE : PARTIAL_TILE_CACHE);
    return new StreamableFile(hashes, { type: 'application/octet-stream', length: hashes.length });
  }
}

function beyond(detail?: string): RejectionException {
  return new RejectionException({ code: 'beyond-checkpoint', ...(detail && { detail }) });
}
