import type { AgentId, Uuid } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Invocation } from '../domain/invocation.js';
import type { ApprovalRequest, Origin, RefusedCall, SettledApproval } from './invocation-ledger.js';

/** What the record of calls holds besides admissions and outcomes; the same streams. */
export abstract class ApprovalLedger {
  /** Durable before it resolves; once per invocation id (`contention` when there is one already). */
  abstract request(
    request: ApprovalRequest,
    context: Origin,
  ): Promise<Result<undefined, Rejection>>;

  /**
   * Records that a party of a contract was refused; at most a bounded number per caller and minute,
   * what is more is counted alone. Never rejects: a refusal stands whether it is recorded or not.
   */
  abstract refuse(refused: RefusedCall, context: Origin): Promise<void>;

  /**
   * Counts, for operators, a refusal that goes on no record.
   * @param code one of few: of `authorize`, or the one that the caller is told; nothing that was sent
   */
  abstract count(code: string): void;

  /**
   * Approvals that came out by `now` (milliseconds since the epoch), whose call was neither admitted
   * nor ended; the oldest first, following one of them. Candidates of the view.
   */
  abstract settled(
    now: number,
    limit: number,
    after?: SettledApproval,
  ): Promise<readonly SettledApproval[]>;

  /**
   * Approvals on which nobody has decided by `now`, and which may still be given; the oldest first,
   * following one of them. Candidates of the view.
   */
  abstract undecided(now: number, limit: number, after?: Uuid): Promise<readonly Uuid[]>;

  /**
   * How many of those there are of calls of one agent to another; those that were requested on any
   * node before the question count, as long as the view follows.
   */
  abstract countUndecided(calling: AgentId, hosted: AgentId, now: number): Promise<number>;

  /** Calls back at once when somebody decides in this process; a hint alone. @returns how to stop */
  abstract onDecided(listener: (invocationId: Uuid) => void): () => void;

  /** The call at the head of its stream, whatever became of it. */
  abstract find(invocationId: Uuid): Promise<Invocation | undefined>;
}
