import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { START } from '../event-store/port.js';
import { RequireScope } from '../http/access.js';
import { decodeCursor, encodeCursor, type CursorScope } from '../http/cursor.js';
import { NotModified } from '../http/openapi/not-modified.js';
import { Problems } from '../http/openapi/problems.js';
import { limitOf } from '../http/page-parameters.js';
import type { Plain } from '../http/plain.js';
import { orReject, RejectionException } from '../http/rejection-exception.js';
import { CurrentRequest, type RequestContext } from '../http/request-context.js';
import { CurrentWrite, type WriteRequest } from '../http/write-request.js';
import { parseAgentId } from '../kernel/ids.js';
import { agentIdOf, AgentReads } from './agent-reads.js';
import { AgentWrites } from './agent-writes.js';
import { CHANGE_PROBLEMS, KEY_PROBLEMS } from './change-problems.js';
import { AgentDocument, agentDocument } from './dto/agent-document.js';
import {
  ChangeClientsBody,
  ChangeMethodsBody,
  ChangePolicyBody,
  ChangeTransportBody,
  RetireBody,
} from './dto/change-bodies.js';
import { DirectoryPage, DirectoryParameters } from './dto/directory.js';
import { RegisterAgentBody } from './dto/register-agent-body.js';
import { transportChoiceOf } from './dto/submitted-transport.js';
import { changeEnvelopeOf, registrationOf } from './dto/to-command.js';
import { ListAgents } from './queries/list-agents.js';

@ApiTags('agents')
@Controller('v1/agents')
export class AgentsController {
  constructor(
    private readonly writes: AgentWrites,
    private readonly reads: AgentReads,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @RequireScope('agents:write', 'agents:admin')
  @ApiOperation({
    summary: 'Register an agent',
    description:
      'In the caller’s tenant, owned by the caller’s principal. Each key comes with a proof of ' +
      'possession: its own signature over the `agent/key-proof` statement. The id of an agent that ' +
      'is hosted here takes a token of the tenant for which it is hosted.',
  })
  @ApiCreatedResponse({ type: AgentDocument })
  @Problems(
    'not-acting-agent',
    'agent-id-invalid',
    'agent-exists',
    'methods-invalid',
    'signed-time-out-of-range',
    ...KEY_PROBLEMS,
    'idempotency-key-reused',
    'contention',
  )
  async register(
    @Body() body: RegisterAgentBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<AgentDocument>> {
    const agentId = parseAgentId(body.agentId);
    if (agentId === undefined) throw new RejectionException({ code: 'agent-id-invalid' });
    const command = orReject(registrationOf(agentId, body));
    return await this.writes.register(write, command);
  }

  @Get()
  @ApiOperation({
    summary: 'The directory',
    description:
      'Everybody who is authenticated sees where an agent speaks, how it accepts and its keys; ' +
      'owner, clients and policy are shown within the agent’s tenant.',
  })
  @ApiOkResponse({ type: DirectoryPage })
  @Problems('cursor-invalid', 'projection-behind')
  async list(
    @Query() parameters: DirectoryParameters,
    @CurrentRequest() { caller, positionToken }: RequestContext,
  ): Promise<Plain<DirectoryPage>> {
    const { tenant, owner, hosted, status } = parameters;
    const scope: CursorScope = {
      list: 'agents',
      filters: { tenant, owner, hosted, status },
      key: ['string'],
    };
    const [after = ''] =
      parameters.cursor === undefined ? [] : orReject(decodeCursor(scope, parameters.cursor));
    const limit = limitOf(parameters);
    const filter = {
      ...(tenant === undefined ? {} : { tenant }),
      ...(owner === undefined ? {} : { owner: { tenant: caller.tenant, principal: owner } }),
      ...(hosted === undefined ? {} : { hosted: hosted === 'true' }),
      ...(status === undefined ? {} : { retired: status === 'retired' }),
    };
    // One entry more than asked for tells whether there is a next page.
    const query = new ListAgents(filter, String(after), limit + 1, positionToken ?? START);
    const entries = orReject(await this.queries.execute(query));
    const items = entries
      .slice(0, limit)
      .map(({ agent, reliable }) => ({ ...agentDocument(agent, caller), reliable }));
    const last = entries.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last === undefined ? null : encodeCursor(scope, [last.agentId]) };
  }

  @Get(':agentId')
  @ApiOperation({ summary: 'One agent' })
  @ApiOkResponse({ type: AgentDocument })
  @NotModified()
  @Problems('agent-not-found')
  async read(
    @Param('agentId') agentId: string,
    @CurrentRequest() request: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<AgentDocument> | undefined> {
    return await this.reads.show(agentId, request, reply, (agent) =>
      agentDocument(agent, request.caller),
    );
  }

  @Put(':agentId/methods')
  @RequireScope('agents:write', 'agents:admin')
  @ApiOperation({
    summary: 'Choose how the agent accepts',
    description:
      'An agent with keys accepts by `ed25519` alone until it chooses otherwise here. Only where ' +
      '`ed25519` is missing, or `oauth_installation` or `oauth_account` stands beside it, may it also ' +
      'reject, withdraw, cancel, complete and consent to erasure without signing.',
  })
  @ApiOkResponse({ type: AgentDocument })
  @Problems(...CHANGE_PROBLEMS, 'methods-invalid')
  async changeMethods(
    @Param('agentId') agentId: string,
    @Body() body: ChangeMethodsBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<AgentDocument>> {
    return await this.writes.change(write, {
      kind: 'change-methods',
      ...changeEnvelopeOf(agentIdOf(agentId), body, write.raw),
      methods: body.methods,
    });
  }

  @Put(':agentId/policy')
  @RequireScope('agents:write', 'agents:admin')
  @ApiOperation({
    summary: 'Set or remove the policy of automatic acceptance',
    description:
      'It has an effect only while the agent’s methods contain `policy_auto_accept`; `applies` in ' +
      'the answer says whether they do.',
  })
  @ApiOkResponse({ type: AgentDocument })
  @Problems(...CHANGE_PROBLEMS)
  async changePolicy(
    @Param('agentId') agentId: string,
    @Body() body: ChangePolicyBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<AgentDocument>> {
    return await this.writes.change(write, {
      kind: 'change-policy',
      ...changeEnvelopeOf(agentIdOf(agentId), body, write.raw),
      policy: body.policy,
    });
  }

  @Put(':agentId/clients')
  @RequireScope('agents:write', 'agents:admin')
  @ApiOperation({ summary: 'Replace the OAuth clients whose tokens may act for the agent' })
  @ApiOkResponse({ type: AgentDocument })
  @Problems(...CHANGE_PROBLEMS)
  async changeClients(
    @Param('agentId') agentId: string,
    @Body() body: ChangeClientsBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<AgentDocument>> {
    return await this.writes.change(write, {
      kind: 'change-clients',
      ...changeEnvelopeOf(agentIdOf(agentId), body, write.raw),
      clients: body.clients,
    });
  }

  @Put(':agentId/transport')
  @RequireScope('agents:write', 'agents:admin')
  @ApiOperation({
    summary: 'Say where the agent speaks A2A',
    description: 'Interactions keep the transport that the agent had when they were proposed.',
  })
  @ApiOkResponse({ type: AgentDocument })
  @Problems(...CHANGE_PROBLEMS)
  async changeTransport(
    @Param('agentId') agentId: string,
    @Body() body: ChangeTransportBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<AgentDocument>> {
    return await this.writes.change(write, {
      kind: 'change-transport',
      ...changeEnvelopeOf(agentIdOf(agentId), body, write.raw),
      transport: orReject(transportChoiceOf(body)),
    });
  }

  @Post(':agentId/retirement')
  @HttpCode(200)
  @RequireScope('agents:write', 'agents:admin')
  @ApiOperation({
    summary: 'Retire the agent for ever',
    description:
      'It can be party to nothing new; its id stays taken and its keys stay known. They sign what is ' +
      'left to do, and can still be revoked.',
  })
  @ApiOkResponse({ type: AgentDocument })
  @Problems(...CHANGE_PROBLEMS)
  async retire(
    @Param('agentId') agentId: string,
    @Body() body: RetireBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<AgentDocument>> {
    return await this.writes.change(write, {
      kind: 'retire',
      ...changeEnvelopeOf(agentIdOf(agentId), body, write.raw),
      reason: body.reason,
    });
  }
}
