import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Config } from '../../config/config.js';
import { CLOCK, CONFIG } from '../../config/tokens.js';
import type { Position } from '../../event-store/port.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { timestampOf, type Clock, type Timestamp } from '../../kernel/timestamp.js';
import type { ReadModel } from '../../projections/port.js';
import { READ_MODEL } from '../../projections/tokens.js';
import { approvals, STATE_OF_ROW, UNSETTLED } from '../approvals.js';
import type { ApprovalState } from '../domain/approval.js';
import type { InvocationCaller, RequestedApproval } from '../domain/events.js';
import { invocationStream } from '../domain/stream.js';
import { ListApprovals, type ListedApproval } from './list-approvals.js';

interface Row {
  readonly position: Position;
  readonly call: string;
  readonly requested_at: Timestamp;
  readonly decided_by: string | null;
  readonly decided_at: Timestamp | null;
  readonly used_at: Timestamp | null;
}

/** Where an index leads to the approvals of a state: what is so of all of them. */
const AMONG: Readonly<Record<ApprovalState, string>> = {
  pending: UNSETTLED,
  approved: "verdict = 'approved'",
  denied: "verdict = 'denied'",
  expired: 'used_at IS NULL',
  void: 'used_at IS NULL',
};

@QueryHandler(ListApprovals)
export class ListApprovalsHandler implements IQueryHandler<ListApprovals> {
  constructor(
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CONFIG) private readonly config: Pick<Config, 'readWaitMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(query: ListApprovals): Promise<Result<readonly ListedApproval[], Rejection>> {
    const { filter, after, limit, position } = query;
    const { readWaitMs } = this.config;
    if (!(await this.readModel.waitFor(position, readWaitMs, [approvals.name]))) {
      return err({ code: 'projection-behind' });
    }
    const rows = this.readModel
      .prepare<Row>(
        `SELECT position, call, requested_at, decided_by, decided_at, used_at FROM approvals
         WHERE ${AMONG[filter.state]} AND position > @after AND ${STATE_OF_ROW} = @state
           AND agent_id IN (SELECT value FROM json_each(@agents))
         ORDER BY position LIMIT +@limit`,
      )
      .all({
        now: timestampOf(this.clock()),
        state: filter.state,
        agents: JSON.stringify(filter.agents),
        after,
        limit,
      });
    return ok(rows.map((row) => ({ ...this.#listed(row), state: filter.state })));
  }

  #listed({ position, call, requested_at, ...row }: Row): Omit<ListedApproval, 'state'> {
    const requested = JSON.parse(call) as RequestedApproval;
    const by = row.decided_by === null ? null : (JSON.parse(row.decided_by) as InvocationCaller);
    return {
      position,
      requested,
      requestedAt: requested_at,
      decided: by === null || row.decided_at === null ? null : { by, at: row.decided_at },
      usedAt: row.used_at,
      reliable: this.readModel.isReliable(approvals.name, invocationStream(requested.invocationId)),
    };
  }
}
