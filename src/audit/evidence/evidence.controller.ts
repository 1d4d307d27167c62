import { Controller, Get, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { Problems } from '../../http/openapi/problems.js';
import { orReject, RejectionException } from '../../http/rejection-exception.js';
import { CurrentRequest, type RequestContext } from '../../http/request-context.js';
import { parseInteractionId } from '../../kernel/ids.js';
import { EvidenceParameters } from './dto/evidence-parameters.js';
import { Evidence } from './evidence.js';
import { OpenBundles } from './open-bundles.js';

/** For whoever may read the interaction; nobody learns of a foreign one. */
@ApiTags('audit')
@Controller('v1/interactions')
export class EvidenceController {
  constructor(
    private readonly evidence: Evidence,
    private readonly open: OpenBundles,
  ) {}

  @Get(':interactionId/evidence')
  @ApiOperation({
    summary: 'Everything that an offline verifier needs, in one file',
    description:
      'The events of the interaction, of its parties and of the platform’s keys, each with its proof ' +
      'of inclusion in the log; the signed checkpoint that they lead to; the document; and the key of ' +
      'its texts. `countersign verify FILE --trust KEY` recomputes all of it. What only an agent’s own ' +
      'tenant is to know (reasons, the rules of its acceptance policy) stays sealed.',
  })
  @ApiResponse({
    status: 200,
    description: 'The bundle, of whatever length',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          additionalProperties: true,
          description: 'schemas/v0.1/evidence-bundle.schema.json',
        },
      },
    },
  })
  @Problems(
    'interaction-not-found',
    'beyond-checkpoint',
    'checkpoint-behind',
    'checkpoint-key-missing',
    'log-inconsistent',
    'too-many-streams',
  )
  async bundle(
    @Param('interactionId') id: string,
    @Query() { texts, consistentFrom }: EvidenceParameters,
    @CurrentRequest() { caller }: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const interactionId = parseInteractionId(id);
    if (interactionId === undefined) {
      throw new RejectionException({ code: 'interaction-not-found' });
    }
    const asked = {
      interactionId,
      caller,
      withTexts: texts !== 'false',
      consistentFrom: consistentFrom === undefined ? null : Number(consistentFrom),
    };
    const bundle = await this.open.hold(caller, reply, async (signal) => {
      signal.addEventListener('abort', () => {
        reply.raw.destroy();
      });
      return orReject(await this.evidence.bundle(asked, signal));
    });
    // It may hold the key of the texts: it is kept nowhere on its way.
    reply.header('cache-control', 'no-store');
    const text = untilStalled(bundle, () => reply.raw.destroy());
    return new StreamableFile(Readable.from(text, { objectMode: false }), {
      type: 'application/json; charset=utf-8',
      disposition: `attachment; filename="evidence-${interactionId}.json"`,
    });
  }
}

/** A reader that takes nothing for so long is cut off, in milliseconds. */
const STALL_MS = 60_000;

async function* untilStalled(
  pieces: AsyncIterable<string>,
  cut: () => void,
): AsyncGenerator<string, void> {
  for await (const piece of pieces) {
    const timer = setTimeout(cut, STALL_MS).unref();
    yield piece;
    clearTimeout(timer);
  }
}
