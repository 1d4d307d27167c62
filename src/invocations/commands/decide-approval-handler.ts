import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { agentStream } from '../../agents/domain/stream.js';
import type { Executed, Prepared } from '../../event-store/command-execution.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import { ApprovalDecisions } from '../approval-decisions.js';
import { ApprovalReads } from '../approval-reads.js';
import { isToApprove } from '../domain/approving.js';
import type { InvocationContext } from '../domain/decider.js';
import { isInvocation, type InvocationToApprove } from '../domain/invocation.js';
import { invocationStream } from '../domain/stream.js';
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
        ? this.#context(state, now)
        : err({ code: 'approval-not-found' }),
    );
    if (!executed.ok) return executed;
    const { state } = executed.value;
    if (!isInvocation(state) || !isToApprove(state)) throw new Error(`${stream} has no approval`);
    this.decisions.publish(invocationId);
    return ok({ ...executed.value, state });
  }

  async #context(
    invocation: InvocationToApprove,
    now: Timestamp,
  ): Promise<Result<Prepared<InvocationContext>, Rejection>> {
    const agent = await this.reads.callersAgent(invocation);
    return ok({
      context: { now, callersAgent: agent ?? null },
      basedOn: agent === undefined ? {} : { [agentStream(agent.agentId)]: agent.revision },
    });
  }
}
