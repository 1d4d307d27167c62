import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CLOCK } from '../config/tokens.js';
import { START, type Position } from '../event-store/port.js';
import { RequireScope } from '../http/access.js';
import { commandEnvelopeOf } from '../http/command-envelope.js';
import { decodeCursor, encodeCursor, type CursorScope } from '../http/cursor.js';
import { Problems } from '../http/openapi/problems.js';
import { limitOf } from '../http/page-parameters.js';
import type { Plain } from '../http/plain.js';
import { orReject } from '../http/rejection-exception.js';
import { CurrentRequest, type RequestContext } from '../http/request-context.js';
import { writeAnswer } from '../http/write-answer.js';
import { CurrentWrite, type WriteRequest } from '../http/write-request.js';
import { timestampOf, type Clock } from '../kernel/timestamp.js';
import { ApprovalReads, readInvocationId } from './approval-reads.js';
import { DecideApproval } from './commands/decide-approval.js';
import {
  ApprovalDocument,
  approvalDocument,
  ApprovalPage,
  listedApproval,
} from './dto/approval-document.js';
import { ApprovalListParameters, DecisionBody } from './dto/approval-requests.js';
import { ListApprovals } from './queries/list-approvals.js';

/** Calls that wait for a human, and what was decided. */
@ApiTags('approvals')
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(
    private readonly reads: ApprovalReads,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @RequireScope('approvals:decide', 'operator:read')
  @ApiOperation({
    summary: 'Approvals of calls of the hosted agents of the caller’s tenant',
    description: 'Those that are pending, unless `state` says otherwise.',
  })
  @ApiOkResponse({ type: ApprovalPage })
  @Problems('cursor-invalid', 'projection-behind')
  async list(
    @Query() parameters: ApprovalListParameters,
    @CurrentRequest() { caller, positionToken }: RequestContext,
  ): Promise<Plain<ApprovalPage>> {
    const { state = 'pending', agentId } = parameters;
    const scope: CursorScope = { list: 'approvals', filters: { state, agentId }, key: ['string'] };
    const [after = START] =
      parameters.cursor === undefined ? [] : orReject(decodeCursor(scope, parameters.cursor));
    const limit = limitOf(parameters);
    const own = this.reads.agentsOf(caller);
    const agents = agentId === undefined ? own : own.filter((each) => each === agentId);
    // One entry more than asked for tells whether there is a next page.
    const query = new ListApprovals(
      { agents, state },
      String(after) as Position,
      limit + 1,
      positionToken ?? START,
    );
    const entries = orReject(await this.queries.execute(query));
    const items = entries.slice(0, limit);
    const last = entries.length > limit ? items.at(-1) : undefined;
    const nextCursor = last === undefined ? null : encodeCursor(scope, [last.position]);
    return { items: items.map(listedApproval), nextCursor };
  }

  @Get(':invocationId')
  @RequireScope('approvals:decide', 'operator:read')
  @ApiOperation({ summary: 'One approval' })
  @ApiOkResponse({ type: ApprovalDocument })
  @Problems('approval-not-found')
  async read(
    @Param('invocationId') invocationId: string,
    @CurrentRequest() { caller }: RequestContext,
  ): Promise<Plain<ApprovalDocument>> {
    const invocation = await this.reads.find(readInvocationId(invocationId), caller);
    const subject = await this.reads.subjectFor(invocation, caller);
    return approvalDocument(invocation, timestampOf(this.clock()), subject);
  }

  @Post(':invocationId/decision')
  @HttpCode(200)
  @RequireScope('approvals:decide')
  @ApiOperation({
    summary: 'Approve or deny one call',
    description:
      'By somebody of the hosted agent’s tenant who is neither the call’s principal nor its OAuth ' +
      'client, nor the owner or an OAuth client of the calling agent, now or when it called, nor ' +
      'speaks for it. The decision names the terms and the ' +
      'arguments that were looked at; it is final, serves once, and is void when the call is canceled ' +
      'or other terms come into force.',
  })
  @ApiOkResponse({ type: ApprovalDocument })
  @Problems(
    'approval-not-found',
    'approver-involved',
    'approval-mismatch',
    'approval-decided',
    'approval-void',
    'approval-expired',
    'idempotency-key-reused',
    'contention',
  )
  async decide(
    @Param('invocationId') target: string,
    @Body() body: DecisionBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<ApprovalDocument>> {
    const invocationId = readInvocationId(target);
    const { decision, termsHash, argumentsDigest, reason = null } = body;
    const submitted = { decision, termsHash, argumentsDigest, reason };
    const kind = 'decide-approval';
    const envelope = commandEnvelopeOf(write.request, {
      kind,
      target: invocationId,
      body: write.raw,
      head: null,
    });
    const command = new DecideApproval(invocationId, submitted, write.request.caller, envelope);
    const executed = orReject(await this.commands.execute(command));
    const { state, position, replayed } = executed;
    writeAnswer(write.reply, { position, replayed });
    return approvalDocument(state, timestampOf(this.clock()), undefined);
  }
}
