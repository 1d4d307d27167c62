import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { START } from '../event-store/port.js';
import { RequireScope } from '../http/access.js';
import { decodeCursor, encodeCursor, type CursorScope } from '../http/cursor.js';
import { matchesIfNoneMatch } from '../http/etag.js';
import { NotModified } from '../http/openapi/not-modified.js';
import { Problems } from '../http/openapi/problems.js';
import { limitOf } from '../http/page-parameters.js';
import type { Plain } from '../http/plain.js';
import { orReject } from '../http/rejection-exception.js';
import { CurrentRequest, type RequestContext } from '../http/request-context.js';
import { addressOf, CapabilityReads } from './capability-reads.js';
import { capabilityEtag } from './capability-revision.js';
import {
  CapabilityDocument,
  capabilityDocument,
  UsageDocument,
  usageDocument,
} from './dto/capability-document.js';
import { CapabilityListParameters, CapabilityPage, listedCapability } from './dto/directory.js';
import { ListCapabilities } from './queries/list-capabilities.js';
import { UsageFigures } from './queries/usage-figures.js';

/** What the registry holds, and how it is used. */
@ApiTags('capabilities')
@Controller('v1/capabilities')
export class CapabilitiesController {
  constructor(
    private readonly reads: CapabilityReads,
    private readonly usage: UsageFigures,
    private readonly queries: QueryBus,
  ) {}

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
  @NotModified()
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
