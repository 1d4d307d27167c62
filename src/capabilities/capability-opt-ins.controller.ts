import { Controller, Delete, Get, HttpCode, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../http/access.js';
import { decodeCursor, encodeCursor, type CursorScope } from '../http/cursor.js';
import { Problems } from '../http/openapi/problems.js';
import { limitOf, PageParameters } from '../http/page-parameters.js';
import type { Plain } from '../http/plain.js';
import { orReject, RejectionException } from '../http/rejection-exception.js';
import { CurrentRequest, type RequestContext } from '../http/request-context.js';
import { CurrentWrite, type WriteRequest } from '../http/write-request.js';
import { parseAgentId } from '../kernel/ids.js';
import { CHANGE_PROBLEMS } from './capability-problems.js';
import { addressOf, CapabilityReads } from './capability-reads.js';
import { CapabilityWrites } from './capability-writes.js';
import { OptInPage, WrittenCapabilityDocument } from './dto/capability-document.js';

const OPT_IN_PROBLEMS = [...CHANGE_PROBLEMS, 'agent-id-invalid', 'capability-not-preview'] as const;

@ApiTags('capabilities')
@Controller('v1/capabilities/:agentId/:skillId/opt-ins')
export class CapabilityOptInsController {
  constructor(
    private readonly writes: CapabilityWrites,
    private readonly reads: CapabilityReads,
  ) {}

  @Get()
  @RequireScope('capabilities:read', 'operator:read')
  @ApiOperation({ summary: 'Agents whose tokens open a preview' })
  @ApiOkResponse({ type: OptInPage })
  @Problems('capability-not-found', 'cursor-invalid')
  async list(
    @Param('agentId') agentId: string,
    @Param('skillId') skillId: string,
    @Query() parameters: PageParameters,
    @CurrentRequest() { caller }: RequestContext,
  ): Promise<Plain<OptInPage>> {
    const scope: CursorScope = {
      list: 'opt-ins',
      filters: { agentId, skillId },
      key: ['string'],
    };
    const [after = ''] =
      parameters.cursor === undefined ? [] : orReject(decodeCursor(scope, parameters.cursor));
    const { optedIn } = await this.reads.find(addressOf(agentId, skillId), caller);
    const limit = limitOf(parameters);
    const later = [...optedIn].filter((agent) => agent > String(after)).sort();
    const items = later.slice(0, limit);
    const last = later.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last === undefined ? null : encodeCursor(scope, [last]) };
  }

  @Put(':callerId')
  @RequireScope('capabilities:write')
  @ApiOperation({
    summary: 'Let an agent into a preview',
    description: 'Whoever calls with a token of this agent, and is entitled otherwise, may use it.',
  })
  @ApiOkResponse({ type: WrittenCapabilityDocument })
  @Problems(...OPT_IN_PROBLEMS, 'too-many-opt-ins')
  async optIn(
    @Param('agentId') agentId: string,
    @Param('skillId') skillId: string,
    @Param('callerId') callerId: string,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<WrittenCapabilityDocument>> {
    return await this.#perform('opt-in', [agentId, skillId, callerId], write);
  }

  @Delete(':callerId')
  @HttpCode(200)
  @RequireScope('capabilities:write')
  @ApiOperation({ summary: 'Close a preview to an agent' })
  @ApiOkResponse({ type: WrittenCapabilityDocument })
  @Problems(...OPT_IN_PROBLEMS)
  async optOut(
    @Param('agentId') agentId: string,
    @Param('skillId') skillId: string,
    @Param('callerId') callerId: string,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<WrittenCapabilityDocument>> {
    return await this.#perform('opt-out', [agentId, skillId, callerId], write);
  }

  async #perform(
    kind: 'opt-in' | 'opt-out',
    [agentId, skillId, callerId]: readonly [string, string, string],
    write: WriteRequest,
  ): Promise<Plain<WrittenCapabilityDocument>> {
    const address = addressOf(agentId, skillId);
    const { revision } = await this.reads.find(address, write.request.caller);
    const callerAgentId = parseAgentId(callerId);
    if (callerAgentId === undefined) throw new RejectionException({ code: 'agent-id-invalid' });
    // It has no body: what it asks for stands in its address.
    const submitted = { ...write, raw: { callerAgentId } };
    const command = { kind, ...address, callerAgentId };
    return await this.writes.optInOrOut(submitted, command, revision);
  }
}
