import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { agentStream } from '../../agents/domain/stream.js';
import type { Executed, Prepared } from '../../event-store/command-execution.js';
import { interactionStream, streamRevisionOf } from '../../interactions/domain/stream.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { notBefore, type Timestamp } from '../../kernel/timestamp.js';
import { ApprovalDecisions } from '../approval-decisions.js';
import { ApprovalReads } from '../approval-reads.js';
import { isToApprove } from '../domain/approving.js';
import type { InvocationContext } from '../domain/decider.js';
import { isInvocation, type InvocationToApprove } from '../domain/invocation.js';
import { invocationStream } from '../domain/stream.js';
import { areInForce } from '../domain/terms-in-force.js';
import { InvocationExecution } from '../invocation-execution.js';
import { recordedCaller } from '../ledger-envelope.js';
import { DecideApproval } from './decide-approval.js';

@CommandHandler(DecideApproval)
export class DecideApprovalHandler implements ICommandHandler<DecideApproval> {
  constructor(
    private readonly execution: InvocationExecution,
    private readonly reads: ApprovalReads,
    private readonly decisions: ApprovalDecisions,
  ) {}

  async execute({
    invocationId,
    submitted,
    caller,
    envelope,
  }: DecideApproval): Promise<Result<Executed<InvocationToApprove>, Rejection>> {
    const command = {
      kind: 'decide',
      invocationId,
      by: recordedCaller(caller),
      ...submitted,
    } as const;
    const stream = invocationStream(invocationId);
    const executed = await this.execution.execute(stream, command, envelope, async (state, now) =>
      this.reads.isVisible(state, caller)
        ? await this.#context(state, now)
        : err({ code: 'approval-not-found' }),
    );
    if (!executed.ok) {
      // Whoever waits in vain is told soon.
      if (executed.error.code === 'approval-void') this.decisions.publish(invocationId);
      return executed;
    }
    const { state } = executed.value;
    if (!isInvocation(state) || !isToApprove(state)) throw new Error(`${stream} has no approval`);
    this.decisions.publish(invocationId);
    return ok({ ...executed.value, state: await this.reads.legible(state) });
  }

  async #context(
    invocation: InvocationToApprove,
    clock: () => Timestamp,
  ): Promise<Result<Prepared<InvocationContext>, Rejection>> {
    const { head: agent, ever: callersAgents } = await this.reads.callersAgent(invocation);
    const contract = await this.reads.contractOf(invocation);
    const now = notBefore(clock(), agent?.updatedAt, contract?.updatedAt);
    const { terms } = invocation.call;
    const areTermsInForce =
      terms !== null && contract !== undefined && areInForce(terms, contract, now);
    return ok({
      context: { now, deciding: { callersAgents, areTermsInForce } },
      basedOn: {
        ...(agent && { [agentStream(agent.agentId)]: agent.revision }),
        ...(contract && {
          [interactionStream(contract.interactionId)]: streamRevisionOf(contract),
        }),
      },
      recordedAt: now,
    });
  }
}
