import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { HostedAgent } from '../config/hosted-agents.js';
import { CLOCK, HOSTED_AGENTS } from '../config/tokens.js';
import { Problems } from '../http/openapi/problems.js';
import type { Plain } from '../http/plain.js';
import { RejectionException } from '../http/rejection-exception.js';
import { CurrentRequest, type RequestContext } from '../http/request-context.js';
import type { Caller } from '../kernel/caller.js';
import { isBefore, timestampOf, type Clock, type Timestamp } from '../kernel/timestamp.js';
import { AuthorizationExplanations } from './authorization-explanations.js';
import type { NamedContract } from './domain/authorization.js';
import {
  AuthorizationExplanationDocument,
  authorizationExplanationDocument,
} from './dto/authorization-explanation-document.js';
import { ExplainAuthorizationBody } from './dto/explain-authorization-body.js';

@ApiTags('authorizations')
@Controller('v1/authorizations')
export class AuthorizationsController {
  constructor(
    @Inject(HOSTED_AGENTS) private readonly agents: readonly HostedAgent[],
    private readonly explanations: AuthorizationExplanations,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('explain')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Explain whether a call is allowed, or was at a moment, and which rule decides',
    description:
      'For the token’s own caller; for somebody else only with `operator:explain` of the tenant of ' +
      'the agent. Capabilities that the explained caller may not use do not exist here. Nothing is ' +
      'run or recorded.',
  })
  @ApiOkResponse({ type: AuthorizationExplanationDocument })
  @Problems('agent-not-found', 'capability-not-found')
  async explain(
    @Body() body: ExplainAuthorizationBody,
    @CurrentRequest() { caller }: RequestContext,
  ): Promise<Plain<AuthorizationExplanationDocument>> {
    const explained = explainedCaller(body, caller);
    const moment = body.at === undefined ? null : this.#past(body.at);
    const agent = this.agents.find(({ agentId }) => agentId === body.agentId);
    const isAboutOther = explained !== caller;
    // What other tenants have registered is not to be found out by asking for others of them.
    if (agent === undefined || (isAboutOther && agent.tenant !== caller.tenant)) {
      throw new RejectionException({ code: 'agent-not-found' });
    }
    const explanation = await this.explanations.explain({
      agentId: agent.agentId,
      skillId: body.skillId,
      caller: explained,
      named: namedContract(body),
      arguments: body.arguments ?? null,
      moment,
      isAboutOther,
    });
    if (explanation === undefined) throw new RejectionException({ code: 'capability-not-found' });
    return authorizationExplanationDocument(body, explanation);
  }

  /** @throws {RejectionException} `request-invalid` */
  #past(at: Timestamp): Timestamp {
    if (isBefore(timestampOf(this.clock()), at)) refuse('/at', 'lies in the future');
    return at;
  }
}

/**
 * The very `own` unless somebody else is meant.
 * @throws {RejectionException} `scope-missing`
 */
function explainedCaller({ caller }: ExplainAuthorizationBody, own: Caller): Caller {
  if (caller === undefined) return own;
  if (!own.scopes.has('operator:explain')) {
    const detail = 'Only operator:explain may ask about other callers than its own.';
    throw new RejectionException({ code: 'scope-missing', detail });
  }
  const { principal, tenant, scopes, agent = null, client = null } = caller;
  return { principal, client, agent, tenant, scopes: new Set(), allScopes: new Set(scopes) };
}

/** @throws {RejectionException} `request-invalid` */
function namedContract({
  interactionId,
  termsHash,
}: ExplainAuthorizationBody): NamedContract | null {
  if (interactionId !== undefined) return { interactionId, termsHash: termsHash ?? null };
  if (termsHash !== undefined) refuse('/interactionId', 'is missing beside `termsHash`');
  return null;
}

function refuse(pointer: string, detail: string): never {
  throw new RejectionException({ code: 'request-invalid', faults: [{ pointer, detail }] });
}
