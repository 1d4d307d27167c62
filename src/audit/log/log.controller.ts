import { Controller, Body, Get, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { isUsable, type PlatformKey } from '../../attestation/domain/platform-key.js';
import { Public } from '../../http/access.js';
import { decodeCursor, encodeCursor, type CursorScope } from '../../http/cursor.js';
import { Problems } from '../../http/openapi/problems.js';
import { orReject } from '../../http/rejection-exception.js';
import { encodeBase64Url } from '../../kernel/base64url.js';
import { formatNoteKey, noteKey } from '../../kernel/note-key.js';
import { timestampOf } from '../../kernel/timestamp.js';
import type { StoredCheckpoint } from './checkpoint-rows.js';
import { CHECKPOINT_SIGNING, type CheckpointSigning } from './checkpoint-signing.js';
import { Cosigning } from './cosigning.js';
import {
  CheckpointPage,
  CosignedNoteDocument,
  LogDocument,
  type CheckpointDocument,
  type LogKeyDocument,
  type WitnessDocument,
} from './dto/log-documents.js';
import { CheckpointPageParameters, CosignaturesBody } from './dto/log-parameters.js';
import { PublishedLog } from './published-log.js';

const SCOPE: CursorScope = { list: 'log-checkpoints', filters: {}, key: ['number'] };

/** A few seconds: whoever polls it for the newest checkpoint costs little. */
const CACHE_CONTROL = 'public, max-age=2';

/** What the log is, who signs and who watches it. For everybody. */
@ApiTags('transparency log')
@Controller('v1/log')
export class LogController {
  constructor(
    private readonly log: PublishedLog,
    private readonly cosigning: Cosigning,
    @Inject(CHECKPOINT_SIGNING) private readonly signing: CheckpointSigning,
  ) {}

  @Get()
  @Public({ shared: true })
  @ApiOperation({ summary: 'The log: its name, its keys and their windows, its witnesses' })
  @ApiOkResponse({ type: LogDocument })
  @Problems('log-inconsistent', 'checkpoint-behind')
  async describe(@Res({ passthrough: true }) reply: FastifyReply): Promise<LogDocument> {
    const { origin } = this.log;
    const all = [...(await this.signing.keys()).values()];
    const keys = all.filter(({ purpose }) => purpose === 'checkpoint');
    const signing = keys.find(isUsable);
    const [newest] = this.log.checkpoints(Number.MAX_SAFE_INTEGER, 1);
    reply.header('cache-control', CACHE_CONTROL);
    return {
      origin,
      verifierKey: signing === undefined ? null : verifierKeyOf(origin, signing),
      checkpoint: newest === undefined ? null : checkpointDocument(newest),
      keys: keys.map((key) => keyDocument(origin, key)),
      witnesses: this.#witnesses(),
    };
  }

  @Get('checkpoints')
  @Public({ shared: true })
  @ApiOperation({ summary: 'Every published checkpoint, the newest first' })
  @ApiOkResponse({ type: CheckpointPage })
  @Problems('request-invalid', 'cursor-invalid', 'log-inconsistent', 'checkpoint-behind')
  checkpoints(
    @Query() { limit = '100', cursor }: CheckpointPageParameters,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): CheckpointPage {
    const before =
      cursor === undefined
        ? Number.MAX_SAFE_INTEGER
        : Number(orReject(decodeCursor(SCOPE, cursor))[0]);
    const found = this.log.checkpoints(before, Number(limit) + 1);
    const page = found.slice(0, Number(limit));
    const last = page.at(-1);
    reply.header('cache-control', CACHE_CONTROL);
    return {
      checkpoints: page.map(checkpointDocument),
      ...(last === undefined || page.length === found.length
        ? {}
        : { nextCursor: encodeCursor(SCOPE, [last.revision]) }),
    };
  }

  @Post('cosignatures')
  @HttpCode(200)
  @Public()
  @ApiOperation({
    summary: 'Cosign a published checkpoint, as one of the configured witnesses',
    description:
      'c2sp.org/tlog-cosignature, `cosignature/v1`. The signature says who sends it. Each witness ' +
      'cosigns a checkpoint once; the same again is answered the same.',
  })
  @ApiOkResponse({ type: CosignedNoteDocument })
  @Problems(
    'request-invalid',
    'beyond-checkpoint',
    'witness-unknown',
    'signature-invalid',
    'signed-time-out-of-range',
    'projection-behind',
    'log-inconsistent',
    'checkpoint-behind',
    'contention',
  )
  async cosign(@Body() { note }: CosignaturesBody): Promise<CosignedNoteDocument> {
    this.log.requireOurs();
    return orReject(await this.cosigning.submit(note));
  }

  #witnesses(): readonly WitnessDocument[] {
    return this.cosigning.witnesses.map((key) => {
      const verifierKey = formatNoteKey(key);
      const newest = this.log.newestCosignedBy(verifierKey);
      return {
        name: key.name,
        verifierKey,
        newest:
          newest === undefined
            ? null
            : { size: newest.size, cosignedAt: timestampOf(newest.cosignedAt * 1000) },
      };
    });
  }
}

function checkpointDocument(checkpoint: StoredCheckpoint): CheckpointDocument {
  const { size, rootHash, keyId, recordedAt, note } = checkpoint;
  return { size, rootHash: encodeBase64Url(rootHash), keyId, signedAt: recordedAt, note };
}

function keyDocument(origin: string, key: PlatformKey): LogKeyDocument {
  const { keyId, from, retiredAt, revoked } = key;
  return {
    keyId,
    verifierKey: verifierKeyOf(origin, key),
    from,
    until: retiredAt ?? revoked?.at ?? null,
    revoked: revoked?.at ?? null,
  };
}

function verifierKeyOf(origin: string, { jwk }: PlatformKey): string {
  return formatNoteKey(noteKey(origin, 'ed25519', jwk));
}
