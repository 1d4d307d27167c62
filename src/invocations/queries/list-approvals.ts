import { Query } from '@nestjs/cqrs';
import type { Position } from '../../event-store/port.js';
import type { AgentId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { ApprovalState } from '../domain/approval.js';
import type { InvocationCaller, RequestedApproval } from '../domain/events.js';

/** Which approvals are wanted. */
export interface ApprovalFilter {
  /** Approvals of calls of these hosted agents. */
  readonly agents: readonly AgentId[];
  readonly state: ApprovalState;
}

/** An approval as the view has it: without texts. */
export interface ListedApproval {
  /** Of its request: where it stands in the list. */
  readonly position: Position;
  readonly requested: RequestedApproval;
  readonly requestedAt: Timestamp;
  readonly state: ApprovalState;
  readonly decided: { readonly by: InvocationCaller; readonly at: Timestamp } | null;
  readonly usedAt: Timestamp | null;
  /** False when a later event of the call could not be applied: the entry is old. */
  readonly reliable: boolean;
}

/**
 * A page of the approvals in a state, the oldest request first. Refuses with `projection-behind` when
 * the view does not reach `position` in time.
 */
export class ListApprovals extends Query<Result<readonly ListedApproval[], Rejection>> {
  constructor(
    readonly filter: ApprovalFilter,
    /** Only approvals whose request stands after it. */
    readonly after: Position,
    /** At most so many entries. */
    readonly limit: number,
    readonly position: Position,
  ) {
    super();
  }
}
