import { Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/tokens.js';
import { START, type Position } from '../event-store/port.js';
import { CLOUD_EVENTS_BATCH } from '../http/cloud-event.js';
import { decodeCursor, encodeCursor, type CursorScope } from '../http/cursor.js';
import { parsePositionToken } from '../http/position-token.js';
import { NotModified } from '../http/openapi/not-modified.js';
import { Problems } from '../http/openapi/problems.js';
import { limitOf, PageParameters } from '../http/page-parameters.js';
import type { Plain } from '../http/plain.js';
import { orReject, RejectionException } from '../http/rejection-exception.js';
import { CurrentRequest, type RequestContext } from '../http/request-context.js';
import type { ContractRevision, FederatedInteraction } from '../kernel/federated-interaction.js';
import type { ReadModel } from '../projections/port.js';
import { READ_MODEL } from '../projections/tokens.js';
import { ATTESTING, type Attesting } from './attesting.js';
import { ContractAdvice } from './contract-advice.js';
import type { Interaction, Revision } from './domain/interaction.js';
import { interactionStream } from './domain/stream.js';
import { cloudEvent, CloudEventDocument } from './dto/cloud-event.js';
import { erasureConsentsDocument, ErasureConsentsDocument } from './dto/erasure-documents.js';
import { InteractionListPage } from './dto/listed-interaction-document.js';
import { AtParameter, ListParameters } from './dto/read-parameters.js';
import { acceptanceEntries, AcceptancePage, RevisionPage } from './dto/revision-pages.js';
import { InteractionStatusDocument, statusDocument } from './dto/status-document.js';
import {
  verificationKeysDocument,
  type VerificationKeysDocument,
} from './dto/verification-keys.js';
import { ContractWarningsDocument } from './dto/warnings.js';
import { REVISION_DOCUMENT, VERIFICATION_KEYS, WIRE_DOCUMENT } from './dto/wire-document-schema.js';
import {
  interactionIdOf,
  legibleRevision,
  wireDocumentOf,
  wireRevisionOf,
} from './dto/wire-document.js';
import { asOfParameter, InteractionReads } from './interaction-reads.js';
import { InteractionHistory } from './queries/interaction-history.js';
import { ListInteractions } from './queries/list-interactions.js';

/** Reading. Parties see their own interactions without a scope; nobody learns of foreign ones. */
@ApiTags('interactions')
@ApiExtraModels(CloudEventDocument)
@Controller('v1/interactions')
export class InteractionReadsController {
  constructor(
    private readonly reads: InteractionReads,
    private readonly queries: QueryBus,
    private readonly advice: ContractAdvice,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(ATTESTING) private readonly attesting: Attesting,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'The interactions that the caller may read',
    description:
      'With `interactions:read` or `audit:read` those with a party of the caller’s tenant, with ' +
      '`operator:read` or `audit:read-all` all, else those with a party that the token acts for.',
  })
  @ApiOkResponse({ type: InteractionListPage })
  @Problems('cursor-invalid', 'projection-behind')
  async list(
    @Query() parameters: ListParameters,
    @CurrentRequest() { caller, positionToken }: RequestContext,
  ): Promise<Plain<InteractionListPage>> {
    const { status, party, taskCategory, waitingOn, expiringBefore, updatedSince } = parameters;
    const filter = { status, party, taskCategory, waitingOn, expiringBefore, updatedSince };
    const scope: CursorScope = { list: 'interactions', filters: filter, key: ['string'] };
    const query = new ListInteractions(
      caller,
      filter,
      positionOf(scope, parameters),
      limitOf(parameters),
      positionToken ?? START,
    );
    const { items, next } = orReject(await this.queries.execute(query));
    return { items, nextCursor: next === undefined ? null : encodeCursor(scope, [next]) };
  }

  @Get(':interactionId')
  @ApiOperation({ summary: 'The interaction, now or at a moment of the past' })
  @ApiResponse({ status: 200, ...WIRE_DOCUMENT })
  @NotModified()
  @Problems('interaction-not-found', 'interaction-erased')
  async read(
    @Param('interactionId') id: string,
    @Query() { at }: AtParameter,
    @CurrentRequest() request: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FederatedInteraction | undefined> {
    return await this.reads.show(
      id,
      request,
      reply,
      ({ interaction }) => wireDocumentOf(interaction),
      asOfParameter(at),
    );
  }

  @Get(':interactionId/status')
  @ApiOperation({
    summary: 'How the interaction fares: since when, waiting on whom, until when',
  })
  @ApiOkResponse({ type: InteractionStatusDocument })
  @Problems('interaction-not-found', 'projection-behind')
  async status(
    @Param('interactionId') id: string,
    @Query() { at }: AtParameter,
    @CurrentRequest() request: RequestContext,
  ): Promise<Plain<InteractionStatusDocument>> {
    const { interaction } = await this.reads.read(id, request, asOfParameter(at));
    const { positionToken: seen } = request;
    // What is parked is the views' to tell; the rest is read from the stream itself.
    if (seen !== null && !(await this.readModel.waitFor(seen, this.config.readWaitMs))) {
      throw new RejectionException({ code: 'projection-behind' });
    }
    const parked = this.readModel.parkedEvents(interactionStream(interaction.interactionId));
    return statusDocument(interaction, parked, request.caller);
  }

  @Get(':interactionId/revisions')
  @ApiOperation({ summary: 'Every revision, the superseded and rejected ones too' })
  @ApiOkResponse({ type: RevisionPage })
  @Problems('interaction-not-found', 'interaction-erased', 'cursor-invalid')
  async revisions(
    @Param('interactionId') id: string,
    @Query() parameters: PageParameters,
    @CurrentRequest() request: RequestContext,
  ): Promise<RevisionPage> {
    const { interaction } = await this.reads.read(id, request);
    const documents = interaction.revisions.map((each) => wireRevisionOf(interaction, each));
    return pageOf(documents, 'revisions', interaction.interactionId, parameters);
  }

  @Get(':interactionId/revisions/:revision')
  @ApiOperation({ summary: 'One revision' })
  @ApiResponse({ status: 200, ...REVISION_DOCUMENT })
  @NotModified()
  @Problems('interaction-not-found', 'interaction-erased', 'revision-not-found')
  async revision(
    @Param('interactionId') id: string,
    @Param('revision') number: string,
    @CurrentRequest() request: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ContractRevision | undefined> {
    return await this.reads.show(id, request, reply, ({ interaction }) =>
      wireRevisionOf(interaction, revisionOf(interaction, number)),
    );
  }

  @Get(':interactionId/revisions/:revision/warnings')
  @ApiOperation({
    summary: 'What is worth knowing of the terms of one revision',
    description:
      'What `Contract-Warnings` tells its proposer, for whoever asks. `entry-not-in-vocabulary`: an entry of ' +
      '`prohibitedActions`, `prohibitedData` or `humanApprovalRequirements` was, when the terms were ' +
      'proposed, no `action` or `data` value of a capability of a hosted party (of any capability, if ' +
      'no party is hosted) that the caller may see, nor set by the deployment.',
  })
  @ApiOkResponse({ type: ContractWarningsDocument })
  @Problems('interaction-not-found', 'interaction-erased', 'revision-not-found')
  async warnings(
    @Param('interactionId') id: string,
    @Param('revision') number: string,
    @CurrentRequest() request: RequestContext,
  ): Promise<Plain<ContractWarningsDocument>> {
    const { interaction } = await this.reads.read(id, request);
    const revision = legibleRevision(interaction, revisionOf(interaction, number));
    return { warnings: this.advice.warningsOn(interaction, revision, request.caller) };
  }

  @Get(':interactionId/acceptances')
  @ApiOperation({ summary: 'Who accepted which revision, and when' })
  @ApiOkResponse({ type: AcceptancePage })
  @Problems('interaction-not-found', 'cursor-invalid')
  async acceptances(
    @Param('interactionId') id: string,
    @Query() parameters: PageParameters,
    @CurrentRequest() request: RequestContext,
  ): Promise<Plain<AcceptancePage>> {
    const { interaction } = await this.reads.read(id, request);
    const entries = acceptanceEntries(interaction);
    return pageOf(entries, 'acceptances', interaction.interactionId, parameters);
  }

  @Get(':interactionId/erasure-consents')
  @ApiOperation({ summary: 'Which parties consented to the erasure of the texts' })
  @ApiOkResponse({ type: ErasureConsentsDocument })
  @Problems('interaction-not-found')
  async erasureConsents(
    @Param('interactionId') id: string,
    @CurrentRequest() request: RequestContext,
  ): Promise<Plain<ErasureConsentsDocument>> {
    const { interaction } = await this.reads.read(id, request);
    return erasureConsentsDocument(interaction);
  }

  @Get(':interactionId/events')
  @ApiOperation({
    summary: 'What happened, event by event',
    description:
      'In the order of the log, as a batch of CloudEvents 1.0; `Link: <…>; rel="next"` leads to the ' +
      'next one while there is one.',
  })
  @ApiResponse({
    status: 200,
    description: 'One page.',
    content: {
      [CLOUD_EVENTS_BATCH]: {
        schema: { type: 'array', items: { $ref: getSchemaPath(CloudEventDocument) } },
      },
    },
  })
  @Problems('interaction-not-found', 'cursor-invalid')
  async events(
    @Param('interactionId') id: string,
    @Query() parameters: PageParameters,
    @CurrentRequest() { caller }: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly Plain<CloudEventDocument>[]> {
    const interactionId = interactionIdOf(id);
    const scope = within('events', interactionId);
    const from = placeOf(scope, parameters);
    const limit = limitOf(parameters);
    // One event more than asked for tells whether there is a next page.
    const entries = orReject(
      await this.queries.execute(new InteractionHistory(interactionId, caller, from, limit + 1)),
    );
    if (entries.length > limit) {
      const cursor = encodeCursor(scope, [from + limit]);
      const path = `/v1/interactions/${interactionId}/events`;
      reply.header('link', `<${path}?limit=${String(limit)}&cursor=${cursor}>; rel="next"`);
    }
    reply.header('content-type', `${CLOUD_EVENTS_BATCH}; charset=utf-8`);
    return entries.slice(0, limit).map((entry) => cloudEvent(entry, this.config.publicBaseUrl));
  }

  @Get(':interactionId/verification-keys')
  @ApiOperation({ summary: 'Every key that an offline verifier of the document needs' })
  @ApiResponse({ status: 200, ...VERIFICATION_KEYS })
  @Problems('interaction-not-found')
  async verificationKeys(
    @Param('interactionId') id: string,
    @CurrentRequest() request: RequestContext,
  ): Promise<VerificationKeysDocument> {
    const { interaction, parties } = await this.reads.read(id, request);
    return verificationKeysDocument(interaction.audience, parties, await this.attesting.keys());
  }
}

/** @throws {RejectionException} `revision-not-found` */
function revisionOf({ revisions }: Interaction, number: string): Revision {
  const revision = revisions.find((each) => String(each.revision) === number);
  if (revision === undefined) throw new RejectionException({ code: 'revision-not-found' });
  return revision;
}

/** A list within one interaction; its cursors are places in a list that only ever grows. */
function within(list: string, interactionId: string): CursorScope {
  return { list, filters: { interactionId }, key: ['number'] };
}

/** @throws {RejectionException} `cursor-invalid` */
function placeOf(scope: CursorScope, { cursor }: PageParameters): number {
  if (cursor === undefined) return 0;
  const [place] = orReject(decodeCursor(scope, cursor));
  if (Number.isSafeInteger(place) && Number(place) >= 0) return Number(place);
  throw new RejectionException({ code: 'cursor-invalid' });
}

/** @throws {RejectionException} `cursor-invalid` */
function positionOf(scope: CursorScope, { cursor }: PageParameters): Position | undefined {
  if (cursor === undefined) return undefined;
  const [position] = orReject(decodeCursor(scope, cursor));
  const parsed = parsePositionToken(String(position));
  if (parsed.ok) return parsed.value;
  throw new RejectionException({ code: 'cursor-invalid' });
}

function pageOf<Item>(
  all: readonly Item[],
  list: string,
  interactionId: string,
  parameters: PageParameters,
): { readonly items: readonly Item[]; readonly nextCursor: string | null } {
  const scope = within(list, interactionId);
  const start = placeOf(scope, parameters);
  const end = start + limitOf(parameters);
  return {
    items: all.slice(start, end),
    nextCursor: end < all.length ? encodeCursor(scope, [end]) : null,
  };
}
