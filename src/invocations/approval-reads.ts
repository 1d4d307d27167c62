import { Inject, Injectable, Optional } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Agent } from '../agents/domain/agent.js';
import { AgentBefore } from '../agents/queries/agent-before.js';
import { AgentHeads } from '../agents/queries/agent-heads.js';
import type { HostedAgent } from '../config/hosted-agents.js';
import { CLOCK, HOSTED_AGENTS } from '../config/tokens.js';
import { RejectionException } from '../http/rejection-exception.js';
import type { Interaction } from '../interactions/domain/interaction.js';
import { InteractionHead } from '../interactions/queries/interaction-head.js';
import type { Caller } from '../kernel/caller.js';
import { parseUuid, type AgentId, type Uuid } from '../kernel/ids.js';
import type { Json } from '../kernel/json.js';
import { timestampOf, type Clock } from '../kernel/timestamp.js';
import { approvalStateAt } from './domain/approval.js';
import { isIndependent, isToApprove } from './domain/approving.js';
import {
  isInvocation,
  withoutTexts,
  type InvocationState,
  type InvocationToApprove,
} from './domain/invocation.js';
import { invocationStream } from './domain/stream.js';
import { InvocationExecution } from './invocation-execution.js';
import { recordedCaller } from './ledger-envelope.js';
import { ApprovalSubjects } from './queries/approval-subjects.js';

/** An agent, and what it was. */
interface KnownAgent {
  readonly head: Agent | undefined;
  /** Empty when some of it is not known. */
  readonly ever: readonly Agent[];
}

/** The way of the controllers to one approval, read from the head of its stream. */
@Injectable()
export class ApprovalReads {
  constructor(
    private readonly execution: InvocationExecution,
    private readonly queries: QueryBus,
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
    @Inject(CLOCK) private readonly clock: Clock,
    @Optional() @Inject(ApprovalSubjects) private readonly subjects?: ApprovalSubjects,
  ) {}

  /** Ids of the hosted agents of a tenant: those whose approvals it may read. */
  agentsOf({ tenant }: Caller): readonly AgentId[] {
    return this.hosted.filter((each) => each.tenant === tenant).map(({ agentId }) => agentId);
  }

  /** Approvals of other tenants' agents do not exist. */
  isVisible(state: InvocationState, caller: Caller): state is InvocationToApprove {
    return (
      isInvocation(state) &&
      isToApprove(state) &&
      this.agentsOf(caller).includes(state.call.agentId)
    );
  }

  /** @throws {RejectionException} `approval-not-found` */
  async find(invocationId: Uuid, caller: Caller): Promise<InvocationToApprove> {
    const { state } = await this.execution.repository.load(invocationStream(invocationId));
    if (!this.isVisible(state, caller))
      throw new RejectionException({ code: 'approval-not-found' });
    return await this.legible(state);
  }

  /** Texts that the contract says are erased stay so, even if a backup has brought back their key. */
  async legible(invocation: InvocationToApprove): Promise<InvocationToApprove> {
    const contract = await this.contractOf(invocation);
    const isErased = contract !== undefined && contract.erasure !== null;
    return isErased ? withoutTexts(invocation) : invocation;
  }

  /**
   * The calling agent at its head, undefined when there is none, and all of it that counts for who may
   * decide: also as it was when the approval was asked for, by the log and not by clocks.
   */
  async callersAgent({ call }: InvocationToApprove): Promise<KnownAgent> {
    const agentId = call.caller?.agent ?? null;
    if (agentId === null) return { head: undefined, ever: [] };
    const head = (await this.queries.execute(new AgentHeads([agentId]))).get(agentId);
    const stream = invocationStream(call.invocationId);
    // The request is what begins it.
    const { position } = await this.execution.repository.loadAtRevision(stream, 0);
    const then = await this.queries.execute(new AgentBefore(agentId, position));
    if (head === undefined || then === undefined) return { head, ever: [] };
    return { head, ever: [head, then] };
  }

  /** The contract whose terms ask for it, at its head; undefined when there is none. */
  async contractOf({ call: { terms } }: InvocationToApprove): Promise<Interaction | undefined> {
    if (terms === null) return undefined;
    return await this.queries.execute(new InteractionHead(terms.interactionId));
  }

  /** What is to be approved, for whoever may decide on it now; undefined for all others. */
  async subjectFor(invocation: InvocationToApprove, caller: Caller): Promise<Json | undefined> {
    const { call } = invocation;
    const now = timestampOf(this.clock());
    if (this.subjects === undefined || !caller.scopes.has('approvals:decide')) return undefined;
    if (approvalStateAt(invocation, now) !== 'pending') return undefined;
    const { ever } = await this.callersAgent(invocation);
    if (!isIndependent(recordedCaller(caller), call.caller, ever)) return undefined;
    return await this.subjects.of(call.taskId, call.invocationId);
  }
}

/**
 * What cannot be an id names no approval.
 * @throws {RejectionException} `approval-not-found`
 */
export function readInvocationId(text: string): Uuid {
  const invocationId = parseUuid(text);
  if (invocationId === undefined) throw new RejectionException({ code: 'approval-not-found' });
  return invocationId;
}
