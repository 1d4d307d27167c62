import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequireScope } from '../http/access.js';
import { NotModified } from '../http/openapi/not-modified.js';
import { Problems } from '../http/openapi/problems.js';
import type { Plain } from '../http/plain.js';
import { orReject, RejectionException } from '../http/rejection-exception.js';
import { CurrentRequest, type RequestContext } from '../http/request-context.js';
import { CurrentWrite, type WriteRequest } from '../http/write-request.js';
import { agentIdOf, AgentReads } from './agent-reads.js';
import { AgentWrites } from './agent-writes.js';
import { CHANGE_PROBLEMS, KEY_PROBLEMS } from './change-problems.js';
import { AgentDocument, KeyHistoryDocument, keyHistory } from './dto/agent-document.js';
import { AddKeyBody, RevokeKeyBody } from './dto/change-bodies.js';
import { keySubmissionOf } from './dto/submitted-key.js';
import { changeEnvelopeOf } from './dto/to-command.js';

@ApiTags('agents')
@Controller('v1/agents/:agentId/keys')
export class AgentKeysController {
  constructor(
    private readonly writes: AgentWrites,
    private readonly reads: AgentReads,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Every key that the agent ever had',
    description: 'With the proof of possession of each and the window in which it could sign.',
  })
  @ApiOkResponse({ type: KeyHistoryDocument })
  @NotModified()
  @Problems('agent-not-found')
  async history(
    @Param('agentId') agentId: string,
    @CurrentRequest() request: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<KeyHistoryDocument> | undefined> {
    return await this.reads.show(agentId, request, reply, keyHistory);
  }

  @Post()
  @HttpCode(200)
  @RequireScope('agents:write', 'agents:admin')
  @ApiOperation({
    summary: 'Add a key, or rotate one',
    description:
      'With `replaces`, the window of that key ends when the window of the new one begins. The ' +
      'first key of an agent makes `ed25519` its only method.',
  })
  @ApiOkResponse({ type: AgentDocument })
  @Problems(...CHANGE_PROBLEMS, ...KEY_PROBLEMS)
  async add(
    @Param('agentId') agentId: string,
    @Body() body: AddKeyBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<AgentDocument>> {
    return await this.writes.change(write, {
      kind: 'add-key',
      ...changeEnvelopeOf(agentIdOf(agentId), body, write.raw),
      key: orReject(keySubmissionOf(body.key, '/key')),
      replaces: body.replaces ?? null,
    });
  }

  @Post(':keyId/revocation')
  @HttpCode(200)
  @RequireScope('agents:write', 'agents:admin')
  @ApiOperation({
    summary: 'Revoke a key',
    description:
      'From now on nothing that it signs is accepted. What was recorded before stays verifiable. ' +
      'A retired agent’s keys can be revoked too.',
  })
  @ApiOkResponse({ type: AgentDocument })
  @Problems(...CHANGE_PROBLEMS)
  async revoke(
    @Param('agentId') agentId: string,
    @Param('keyId') keyId: string,
    @Body() body: RevokeKeyBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<AgentDocument>> {
    if (body.keyId !== keyId) {
      const detail = 'names another key than the address';
      throw new RejectionException({
        code: 'request-invalid',
        faults: [{ pointer: '/keyId', detail }],
      });
    }
    return await this.writes.change(write, {
      kind: 'revoke-key',
      ...changeEnvelopeOf(agentIdOf(agentId), body, write.raw),
      keyId: body.keyId,
      reason: body.reason,
    });
  }
}
