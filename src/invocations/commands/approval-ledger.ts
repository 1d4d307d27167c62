import type { AgentId, Uuid } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Invocation } from '../domain/invocation.js';
import type { ApprovalRequest, Origin, RefusedCall, SettledApproval } from './invocation-ledger.js';

/** A call for which a place is taken among those of one agent to another that wait for a decision. */
export interface PlacedCall {
  readonly invocationId: Uuid;
  readonly calling: AgentId;
  readonly hosted: AgentId;
}

export interface ApprovalPlace {
  /** Gives it back, unless the call was requested: its place is free again when its approval comes out. */
  release(): void;
}

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
   * Takes a place for a call before it is requested, among those of its two agents on which nobody has
   * decided by `now`, and which may still be given. Undefined when there are `most` of them already,
   * and none is for this very call: those of this node are counted exactly, whether they are on record yet or not, those that were
   * requested on other nodes before the question as long as the view follows.
   */
  abstract takePlace(
    call: PlacedCall,
    most: number,
    now: number,
  ): Promise<ApprovalPlace | undefined>;

  /** Calls back at once when somebody decides in this process; a hint alone. @returns how to stop */
  abstract onDecided(listener: (invocationId: Uuid) => void): () => void;

  /** The call at the head of its stream, whatever became of it. */
  abstract find(invocationId: Uuid): Promise<Invocation | undefined>;
}
