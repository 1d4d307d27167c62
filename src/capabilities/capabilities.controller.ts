import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Query,
  Res,
} from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { HostedAgent } from '../config/hosted-agents.js';
import { HOSTED_AGENTS } from '../config/tokens.js';
import { START } from '../event-store/port.js';
import { RequireScope } from '../http/access.js';
import { decodeCursor, encodeCursor, type CursorScope } from '../http/cursor.js';
import { matchesIfNoneMatch } from '../http/etag.js';
import { Problems } from '../http/openapi/problems.js';
import { limitOf } from '../http/page-parameters.js';
import type { Plain } from '../http/plain.js';
import { orReject, RejectionException } from '../http/rejection-exception.js';
import { CurrentRequest, type RequestContext } from '../http/request-context.js';
import type { AgentId } from '../kernel/ids.js';
import {
  CHANGE_PROBLEMS,
  MANIFEST_PROBLEMS,
  REPLACEMENT_PROBLEMS,
  REVISION_PROBLEMS,
} from './capability-problems.js';
import { addressOf, CapabilityReads } from './capability-reads.js';
import { capabilityEtag } from './capability-revision.js';
import { CapabilityWrites } from './capability-writes.js';
import type { Manifest } from './domain/manifest.js';
import { parseManifest } from './domain/parse-manifest.js';
import {
  CapabilityDocument,
  capabilityDocument,
  UsageDocument,
  usageDocument,
  WrittenCapabilityDocument,
} from './dto/capability-document.js';
import { ChangeStateBody, RevisionParameters } from './dto/change-state-body.js';
import { CapabilityListParameters, CapabilityPage, listedCapability } from './dto/directory.js';
import { ManifestSchema } from './dto/manifest-schema.js';
import { ListCapabilities } from './queries/list-capabilities.js';
import { UsageFigures } from './queries/usage-figures.js';

const IF_MATCH = {
  name: 'If-Match',
  required: false,
  description: 'The ETag of the capability as last read; either this or `expectedRevision`.',
};

@ApiTags('capabilities')
@Controller('v1/capabilities')
export class CapabilitiesController {
  constructor(
    private readonly writes: CapabilityWrites,
    private readonly reads: CapabilityReads,
    private readonly usage: UsageFigures,
    private readonly queries: QueryBus,
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
  ) {}

  @Post()
  @RequireScope('capabilities:write')
  @ApiOperation({
    summary: 'Register a capability of a hosted agent',
    description:
      'The body is its manifest. Cards, routing and enforcement follow from it alone. `warnings` of ' +
      'the answer say what may be hard to route.',
  })
  @ApiBody({ type: ManifestSchema })
  @ApiCreatedResponse({ type: WrittenCapabilityDocument })
  @Problems(
    'agent-not-hosted',
    'capability-exists',
    'lifecycle-transition-invalid',
    ...MANIFEST_PROBLEMS,
    ...REPLACEMENT_PROBLEMS,
    'idempotency-key-reused',
    'contention',
  )
  async register(
    @Body() raw: unknown,
    @CurrentRequest() request: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<WrittenCapabilityDocument>> {
    const agentId = this.hosted[0]?.agentId;
    if (agentId === undefined) throw new RejectionException({ code: 'agent-not-hosted' });
    const manifest = manifestOf(raw, agentId);
    return this.writes.register({ request, reply, raw }, { kind: 'register', manifest });
  }

  @Get()
  @RequireScope('capabilities:read', 'operator:read')
  @ApiOperation({
    summary: 'Capabilities of the hosted agents of the caller’s tenant',
    description: 'Tombstones and internal ones are among them.',
  })
  @ApiOkResponse({ type: CapabilityPage })
  @Problems('cursor-invalid', 'projection-behind')
  async list(
    @Query() parameters: CapabilityListParameters,
    @CurrentRequest() { caller, positionToken }: RequestContext,
  ): Promise<Plain<CapabilityPage>> {
    const { agent, state, visibility, owner } = parameters;
    const scope: CursorScope = {
      list: 'capabilities',
      filters: { agent, state, visibility, owner },
      key: ['string', 'string'],
    };
    const [afterAgent = '', afterSkill = ''] =
      parameters.cursor === undefined ? [] : orReject(decodeCursor(scope, parameters.cursor));
    const limit = limitOf(parameters);
    const own = this.reads.agentsOf(caller);
    const filter = {
      agents: agent === undefined ? own : own.filter((agentId) => agentId === agent),
      ...(state === undefined ? {} : { state }),
      ...(visibility === undefined ? {} : { visibility }),
      ...(owner === undefined ? {} : { owner }),
    };
    // One entry more than asked for tells whether there is a next page.
    const query = new ListCapabilities(
      filter,
      [String(afterAgent), String(afterSkill)],
      limit + 1,
      positionToken ?? START,
    );
    const entries = orReject(await this.queries.execute(query));
    const items = entries.slice(0, limit).map(listedCapability);
    const last = entries.length > limit ? items.at(-1) : undefined;
    const nextCursor =
      last === undefined ? null : encodeCursor(scope, [last.agentId, last.skillId]);
    return { items, nextCursor };
  }

  @Get(':agentId/:skillId')
  @RequireScope('capabilities:read', 'operator:read')
  @ApiOperation({ summary: 'One capability' })
  @ApiOkResponse({ type: CapabilityDocument })
  @ApiResponse({ status: 304, description: 'The client has it: `If-None-Match` names its ETag.' })
  @Problems('capability-not-found')
  async read(
    @Param('agentId') agentId: string,
    @Param('skillId') skillId: string,
    @CurrentRequest() request: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<CapabilityDocument> | undefined> {
    const capability = await this.reads.find(addressOf(agentId, skillId), request.caller);
    const etag = capabilityEtag(capability.revision);
    reply.headers({ etag, vary: 'authorization', 'cache-control': 'private, no-cache' });
    if (!matchesIfNoneMatch(request.ifNoneMatch, etag)) return capabilityDocument(capability);
    reply.code(304);
    return undefined;
  }

  @Put(':agentId/:skillId')
  @RequireScope('capabilities:write')
  @ApiOperation({
    summary: 'Revise a capability',
    description:
      'The body is the whole manifest, with the state and the replacement of today. Modes and ' +
      'schemas of a capability that was released cannot change: another meaning is another id.',
  })
  @ApiHeader(IF_MATCH)
  @ApiBody({ type: ManifestSchema })
  @ApiOkResponse({ type: WrittenCapabilityDocument })
  @Problems(
    ...CHANGE_PROBLEMS,
    ...REVISION_PROBLEMS,
    ...MANIFEST_PROBLEMS,
    'replacement-unexpected',
    'replacement-more-restricted',
    'state-changes-separately',
    'capability-meaning-changed',
  )
  async revise(
    @Param('agentId') agentId: string,
    @Param('skillId') skillId: string,
    @Query() { expectedRevision }: RevisionParameters,
    @Body() raw: unknown,
    @CurrentRequest() request: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<WrittenCapabilityDocument>> {
    const address = addressOf(agentId, skillId);
    // Whoever may not know of it learns nothing about a manifest either.
    await this.reads.find(address, request.caller);
    const manifest = manifestOf(raw, address.agentId);
    const faults = [
      ...(manifest.id === address.skillId ? [] : [elsewhere('/id')]),
      ...(manifest.agentId === address.agentId ? [] : [elsewhere('/agentId')]),
    ];
    if (faults.length > 0) throw new RejectionException({ code: 'request-invalid', faults });
    return this.writes.change(
      { request, reply, raw },
      expectedRevision === undefined ? undefined : Number(expectedRevision),
      (revision) => ({ kind: 'revise', manifest, expectedRevision: revision }),
    );
  }

  @Post(':agentId/:skillId/state')
  @HttpCode(200)
  @RequireScope('capabilities:write')
  @ApiOperation({
    summary: 'Move a capability on in its life',
    description:
      'From preview to ga to deprecated to removed, one step at a time and never back. A deprecated ' +
      'one may be given another replacement.',
  })
  @ApiHeader(IF_MATCH)
  @ApiOkResponse({ type: WrittenCapabilityDocument })
  @Problems(
    ...CHANGE_PROBLEMS,
    ...REVISION_PROBLEMS,
    ...REPLACEMENT_PROBLEMS,
    'lifecycle-transition-invalid',
    'capability-in-use',
    'projection-behind',
  )
  async changeState(
    @Param('agentId') agentId: string,
    @Param('skillId') skillId: string,
    @Body() body: ChangeStateBody,
    @Body() raw: object,
    @CurrentRequest() request: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<WrittenCapabilityDocument>> {
    const { state, reason, force = false } = body;
    if (force && (reason === undefined || reason.trim() === '')) {
      const faults = [{ pointer: '/reason', detail: 'is needed to force a removal' }];
      throw new RejectionException({ code: 'request-invalid', faults });
    }
    const address = addressOf(agentId, skillId);
    // Of the revision that the change names, or the change is refused.
    const { manifest } = await this.reads.find(address, request.caller);
    const replacement = body.replacement ?? manifest.replacement;
    return this.writes.change(
      { request, reply, raw },
      body.expectedRevision,
      (expectedRevision) => ({
        kind: 'change-state',
        ...address,
        state,
        replacement,
        expectedRevision,
        reason,
        force,
      }),
    );
  }

  @Get(':agentId/:skillId/usage')
  @RequireScope('capabilities:read', 'operator:read')
  @ApiOperation({ summary: 'How a capability was used in the last 30 days' })
  @ApiOkResponse({ type: UsageDocument })
  @Problems('capability-not-found', 'projection-behind')
  async showUsage(
    @Param('agentId') agentId: string,
    @Param('skillId') skillId: string,
    @CurrentRequest() { caller, positionToken }: RequestContext,
  ): Promise<Plain<UsageDocument>> {
    const address = addressOf(agentId, skillId);
    await this.reads.find(address, caller);
    const position = positionToken ?? START;
    const usage = await this.usage.of(address.agentId, address.skillId, position);
    return usageDocument(orReject(usage));
  }
}

/** @throws {RejectionException} `manifest-invalid` with every fault */
function manifestOf(raw: unknown, defaultAgent: AgentId): Manifest {
  const manifest = parseManifest(raw, defaultAgent);
  if (manifest.ok) return manifest.value;
  throw new RejectionException({ code: 'manifest-invalid', faults: manifest.error });
}

function elsewhere(pointer: string): { readonly pointer: string; readonly detail: string } {
  return { pointer, detail: 'names another capability than the address' };
}
