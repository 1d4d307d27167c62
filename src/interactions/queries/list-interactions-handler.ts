import { Inject } from '@nestjs/common';
import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { AgentHeads } from '../../agents/queries/agent-heads.js';
import type { Config } from '../../config/config.js';
import { CLOCK, CONFIG } from '../../config/tokens.js';
import type { Caller } from '../../kernel/caller.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { isBefore, timestampOf, type Clock, type Timestamp } from '../../kernel/timestamp.js';
import type { ReadModel } from '../../projections/port.js';
import { READ_MODEL } from '../../projections/tokens.js';
import { isTerminal } from '../domain/revisions.js';
import { interactionStream } from '../domain/stream.js';
import { DueExpiries } from '../due-expiries.js';
import { interactionList } from '../projection.js';
import {
  agentsActedFor,
  listed,
  partiesOf,
  selectionOf,
  type Row,
  type RowScope,
} from './interaction-rows.js';
import { InteractionHead } from './interaction-head.js';
import {
  ListInteractions,
  type InteractionFilter,
  type InteractionPage,
} from './list-interactions.js';
import { pageOfRows, type PageEffort } from './row-pages.js';
import { mayRead, sightOf } from '../domain/visibility.js';

const EFFORT: PageEffort = { window: 2_000, windows: 250 };
const NOTHING: InteractionPage = { items: [], next: undefined };

@QueryHandler(ListInteractions)
export class ListInteractionsHandler implements IQueryHandler<ListInteractions> {
  constructor(
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    private readonly queries: QueryBus,
    private readonly expiries: DueExpiries,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async execute(query: ListInteractions): Promise<Result<InteractionPage, Rejection>> {
    const { caller, filter, seen } = query;
    if (!(await this.readModel.waitFor(seen, this.config.readWaitMs, [interactionList.name]))) {
      return err({ code: 'projection-behind' });
    }
    const scope = this.#scopeOf(caller);
    if (scope.kind === 'agents' && scope.agents.length === 0) return ok(NOTHING);
    const now = timestampOf(this.clock());
    const selection = selectionOf(filter, scope, now);
    const { rows, next } = await pageOfRows(this.readModel, selection, query, EFFORT, (found) =>
      this.#readable(found, caller, scope),
    );
    const settled = await Promise.all(rows.map((row) => this.#settled(row, now)));
    const items = settled
      .filter((row) => stillFits(row, filter))
      .map((row) => listed(row, this.#isReliable(row)));
    return ok({ items, next });
  }

  #scopeOf(caller: Caller): RowScope {
    const { tenant, agent } = caller;
    switch (sightOf(caller)) {
      case 'everything':
        return { kind: 'everything' };
      case 'tenant':
        return { kind: 'tenant', tenant };
      case 'as-party': {
        const agents = agent === null ? agentsActedFor(this.readModel, caller) : [agent];
        return { kind: 'agents', tenant, agents };
      }
    }
  }

  /** The list only finds candidates: whether a token acts for an agent is read from its stream. */
  async #readable(rows: readonly Row[], caller: Caller, scope: RowScope): Promise<readonly Row[]> {
    if (scope.kind !== 'agents') return rows;
    const candidates = new Set(scope.agents);
    const found = new Set(rows.flatMap((row) => partiesOf(row)).filter((id) => candidates.has(id)));
    const agents = await this.queries.execute(new AgentHeads(found));
    const acting = new Set(
      [...agents.values()]
        .filter((agent) => mayRead(caller, [agent]))
        .map(({ agentId }) => agentId),
    );
    return rows.filter((row) => partiesOf(row).some((party) => acting.has(party)));
  }

  /**
   * An expiry that is due is told of once the log holds it, as by every read; where an act was faster, its
   * end is. What cannot be read from the log now is told as the list knows it.
   */
  async #settled(row: Row, now: Timestamp): Promise<Row> {
    if (row.is_due === 0 || !this.#isReliable(row)) return row;
    try {
      const head = await this.queries.execute(new InteractionHead(row.interaction_id));
      if (head === undefined) return row;
      const { status, updatedAt } = await this.expiries.settled(head, now);
      return isTerminal(status) ? { ...row, status, updated_at: updatedAt, is_due: 0 } : row;
    } catch {
      return row;
    }
  }

  #isReliable({ interaction_id: id }: Row): boolean {
    return this.readModel.isReliable(interactionList.name, interactionStream(id));
  }
}

/** Of rows whose end the list did not know yet. */
function stillFits(row: Row, { status, updatedSince }: InteractionFilter): boolean {
  if (row.is_due === 1) return true;
  if (status !== undefined && row.status !== status) return false;
  return updatedSince === undefined || !isBefore(row.updated_at, updatedSince);
}
