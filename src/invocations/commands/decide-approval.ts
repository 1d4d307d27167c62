import { Command } from '@nestjs/cqrs';
import type { CommandEnvelope, Executed } from '../../event-store/command-execution.js';
import type { Caller } from '../../kernel/caller.js';
import type { TermsHash, Uuid } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { ApprovalDecision } from '../domain/approval.js';
import type { InvocationToApprove } from '../domain/invocation.js';

/** What an approver says, and what it saw when it said so. */
export interface SubmittedDecision {
  readonly decision: ApprovalDecision;
  readonly termsHash: TermsHash;
  readonly argumentsDigest: string;
  readonly reason: string | null;
}

/**
 * Approves or denies one call. Answers with the call as of the decision; refuses with
 * `approval-not-found` (also when the hosted agent is another tenant's), the codes of
 * `decideApproval` and those of `CommandExecution`.
 */
export class DecideApproval extends Command<Result<Executed<InvocationToApprove>, Rejection>> {
  constructor(
    readonly invocationId: Uuid,
    readonly submitted: SubmittedDecision,
    readonly caller: Caller,
    readonly envelope: CommandEnvelope,
  ) {
    super();
  }
}
