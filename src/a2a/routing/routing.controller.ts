import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { HOSTED_AGENTS } from '../../config/tokens.js';
import { Problems } from '../../http/openapi/problems.js';
import type { Plain } from '../../http/plain.js';
import { RejectionException } from '../../http/rejection-exception.js';
import { CurrentRequest, type RequestContext } from '../../http/request-context.js';
import type { Caller } from '../../kernel/caller.js';
import { readRequest, sendMessageRequest } from '../wire/requests.js';
import { withCoarseConfidences } from './dto/coarse-confidences.js';
import { ExplainBody } from './dto/explain-body.js';
import {
  ExplanationDocument,
  explanationDocument,
  recordedDocument,
} from './dto/explanation-document.js';
import { RoutingExplanations, type ExplainedMessage } from './explanations.js';
import { preferredSkill } from './preferred-skill.js';

@ApiTags('routing')
@Controller('v1/routing')
export class RoutingController {
  constructor(
    @Inject(HOSTED_AGENTS) private readonly agents: readonly HostedAgent[],
    @Inject(RoutingExplanations) private readonly explanations: RoutingExplanations,
  ) {}

  @Post('explain')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Explain what a message would be routed to, or why a task was routed as it was',
    description:
      'Layer by layer, for the token’s own caller; for somebody else only with ' +
      '`operator:explain` of the tenant of the agent. Capabilities that the explained caller may ' +
      'not use do not exist here either, and a task of theirs that is bound to one is not explained ' +
      'to them. Nothing is run or recorded, and no model is asked.',
  })
  @ApiOkResponse({ type: ExplanationDocument })
  @Problems('agent-not-found', 'task-not-found')
  async explain(
    @Body() body: ExplainBody,
    @CurrentRequest() { caller }: RequestContext,
  ): Promise<Plain<ExplanationDocument>> {
    const explained = explainedCaller(body, caller);
    const agent = this.agents.find(({ agentId }) => agentId === body.agent);
    const isOwn = agent?.tenant === caller.tenant;
    // What other tenants have registered is not to be found out by asking for others of them.
    if (agent === undefined || (explained !== caller && !isOwn)) {
      throw new RejectionException({ code: 'agent-not-found' });
    }
    const { agentId } = agent;
    const isOperator = isOwn && caller.scopes.has('operator:explain');
    const show = isOperator ? asItIs : withCoarseConfidences;
    if (body.taskId !== undefined) {
      refuseBeside(body);
      const task = await this.explanations.recorded(agentId, body.taskId, caller, isOperator);
      if (task === undefined) throw new RejectionException({ code: 'task-not-found' });
      return show(recordedDocument(agentId, task));
    }
    const message = explainedMessage(body);
    const explanation = await this.explanations.explain(agentId, explained, message);
    return show(explanationDocument(agentId, explanation));
  }
}

/** @throws {RejectionException} `request-invalid` */
function refuseBeside(body: ExplainBody): void {
  for (const name of ['text', 'message', 'caller', 'anonymous'] as const) {
    if (body[name] !== undefined) refuse(`/${name}`, 'contradicts `taskId`');
  }
}

/**
 * The very `own` unless somebody else is meant.
 * @throws {RejectionException} `scope-missing`, `request-invalid`
 */
function explainedCaller({ caller, anonymous }: ExplainBody, own: Caller): Caller | null {
  if (caller === undefined && anonymous === undefined) return own;
  if (!own.scopes.has('operator:explain')) {
    const detail = 'Only operator:explain may ask about other callers than its own.';
    throw new RejectionException({ code: 'scope-missing', detail });
  }
  if (caller === undefined) return null;
  if (anonymous !== undefined) refuse('/anonymous', 'contradicts `caller`');
  const { tenant, scopes, agent = null } = caller;
  return {
    principal: 'explained',
    client: null,
    agent,
    tenant,
    scopes: new Set(),
    allScopes: new Set(scopes),
  };
}

/** @throws {RejectionException} `request-invalid` */
function explainedMessage({ agent, text, message }: ExplainBody): ExplainedMessage {
  if (text !== undefined) {
    if (message !== undefined) refuse('/text', 'contradicts `message`');
    return { parts: [{ text }], preferredSkill: undefined };
  }
  if (message === undefined)
    return refuse('/message', 'is missing, and so are `text` and `taskId`');
  const params = readRequest(sendMessageRequest, { message }, agent);
  if (params.ok) {
    return { parts: params.value.message.parts, preferredSkill: preferredSkill(params.value) };
  }
  const { faults = [] } = params.error;
  throw new RejectionException({ code: 'request-invalid', faults });
}

function refuse(pointer: string, detail: string): never {
  throw new RejectionException({ code: 'request-invalid', faults: [{ pointer, detail }] });
}

function asItIs<T>(document: T): T {
  return document;
}
