import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { interactionEtag, matchesIfNoneMatch } from '../http/etag.js';
import { parsePositionToken } from '../http/position-token.js';
import { orReject, RejectionException } from '../http/rejection-exception.js';
import type { RequestContext } from '../http/request-context.js';
import { parseTimestamp } from '../kernel/timestamp.js';
import { headOf } from './domain/head.js';
import { interactionIdOf } from './dto/wire-document.js';
import { ReadInteraction, type AsOf, type InteractionReading } from './queries/read-interaction.js';

const NOW: AsOf = { kind: 'now' };

/**
 * The way of the controllers to one interaction. It is read from its stream, whose head is never
 * behind, so that there is no position to wait for.
 */
@Injectable()
export class InteractionReads {
  constructor(private readonly queries: QueryBus) {}

  /** @throws {RejectionException} `interaction-not-found`, `request-invalid` */
  async read(id: string, { caller }: RequestContext, asOf = NOW): Promise<InteractionReading> {
    const query = new ReadInteraction(interactionIdOf(id), caller, asOf);
    return orReject(await this.queries.execute(query));
  }

  /**
   * Answers with the document that `show` makes of the interaction, or 304 when the client has it.
   * @throws {RejectionException} as {@link read} and as `show`
   */
  async show<Document>(
    id: string,
    request: RequestContext,
    reply: FastifyReply,
    show: (reading: InteractionReading) => Document,
    asOf = NOW,
  ): Promise<Document | undefined> {
    const reading = await this.read(id, request, asOf);
    const { interaction } = reading;
    // Before the tag is compared: texts go a moment before that is recorded, and from past states
    // without any record.
    const document = show(reading);
    const etag = interactionEtag(interaction, headOf(interaction));
    reply.headers({ etag, vary: 'authorization', 'cache-control': 'private, no-cache' });
    if (!matchesIfNoneMatch(request.ifNoneMatch, etag)) return document;
    reply.code(304);
    return undefined;
  }
}

/**
 * Reads `?at=`: an RFC 3339 time or a position token; now when absent.
 * @throws {RejectionException} `request-invalid`
 */
export function asOfParameter(at: string | undefined): AsOf {
  if (at === undefined) return NOW;
  const time = parseTimestamp(at);
  if (time !== undefined) return { kind: 'time', time };
  const position = parsePositionToken(at);
  if (position.ok) return { kind: 'position', position: position.value };
  throw new RejectionException({
    code: 'request-invalid',
    faults: [
      {
        pointer: '/at',
        detail: 'must be an RFC 3339 date-time that ends in Z, or a position token',
      },
    ],
  });
}
