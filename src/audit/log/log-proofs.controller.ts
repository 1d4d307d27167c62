import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../http/access.js';
import { Problems } from '../../http/openapi/problems.js';
import { RejectionException } from '../../http/rejection-exception.js';
import { decodeBase64Url, encodeBase64Url } from '../../kernel/base64url.js';
import { ConsistencyProofDocument, InclusionProofDocument } from './dto/log-documents.js';
import { ConsistencyParameters, InclusionParameters } from './dto/log-parameters.js';
import { PublishedLog } from './published-log.js';

/** A proof between two sizes never changes; without a size it is of the newest checkpoint. */
const FIXED = 'public, max-age=86400';

/** Proofs, for those who would rather not compute them from tiles. Never beyond what is published. */
@ApiTags('transparency log')
@Controller('v1/log/proofs')
export class LogProofsController {
  constructor(private readonly log: PublishedLog) {}

  @Get('inclusion')
  @Public({ shared: true })
  @ApiOperation({ summary: 'That a leaf stands in the published tree: RFC 6962 section 2.1.1' })
  @ApiOkResponse({ type: InclusionProofDocument })
  @Problems('request-invalid', 'beyond-checkpoint', 'log-inconsistent', 'checkpoint-behind')
  async inclusion(
    @Query() parameters: InclusionParameters,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<InclusionProofDocument> {
    const size = await this.#sizeOf(parameters.size);
    const index = this.#indexOf(parameters);
    if (index === undefined || index >= size) throw beyond();
    if (parameters.size !== undefined) reply.header('cache-control', FIXED);
    return {
      index,
      size,
      leafHash: encodeBase64Url(this.log.leafAt(index)),
      rootHash: encodeBase64Url(this.log.rootAt(size)),
      proof: this.log.inclusionProof(index, size).map(encodeBase64Url),
    };
  }

  @Get('consistency')
  @Public({ shared: true })
  @ApiOperation({
    summary: 'That one tree is the beginning of another: RFC 6962 section 2.1.2',
    description: 'The proof is empty from size 0, and from a size to itself.',
  })
  @ApiOkResponse({ type: ConsistencyProofDocument })
  @Problems('request-invalid', 'beyond-checkpoint', 'log-inconsistent', 'checkpoint-behind')
  async consistency(
    @Query() parameters: ConsistencyParameters,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConsistencyProofDocument> {
    const to = await this.#sizeOf(parameters.to);
    const from = Number(parameters.from);
    if (from > to) throw beyond();
    if (parameters.to !== undefined) reply.header('cache-control', FIXED);
    return {
      from,
      to,
      fromRootHash: encodeBase64Url(this.log.rootAt(from)),
      toRootHash: encodeBase64Url(this.log.rootAt(to)),
      proof: this.log.consistencyProof(from, to).map(encodeBase64Url),
    };
  }

  async #sizeOf(asked: string | undefined): Promise<number> {
    const published = (await this.log.checkpoint())?.size;
    const size = asked === undefined ? published : Number(asked);
    if (size === undefined || published === undefined || size > published) throw beyond();
    return size;
  }

  #indexOf({ index, leafHash }: InclusionParameters): number | undefined {
    if ((index === undefined) === (leafHash === undefined)) {
      const detail = 'name the leaf by either index or leafHash';
      throw new RejectionException({ code: 'request-invalid', detail });
    }
    if (index !== undefined) return Number(index);
    return this.log.indexOf(decodeBase64Url(leafHash ?? '') ?? new Uint8Array());
  }
}

function beyond(): RejectionException {
  return new RejectionException({ code: 'beyond-checkpoint' });
}
