import { setImmediate as othersFirst } from 'node:timers/promises';
import { Inject } from '@nestjs/common';
import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { AgentHeads } from '../../agents/queries/agent-heads.js';
import type { Config } from '../../config/config.js';
import { CLOCK, CONFIG } from '../../config/tokens.js';
import type { Position } from '../../event-store/port.js';
import type { Caller } from '../../kernel/caller.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { timestampOf, type Clock } from '../../kernel/timestamp.js';
import type { ReadModel } from '../../projections/port.js';
import { READ_MODEL } from '../../projections/tokens.js';
import { interactionStream } from '../domain/stream.js';
import { INTERACTION_LIST } from '../projection.js';
import {
  agentsActedFor,
  FROM_THE_END,
  listed,
  nextWindow,
  partiesOf,
  selectionOf,
  selectRows,
  type Row,
  type RowScope,
} from './interaction-rows.js';
import { ListInteractions, type InteractionPage } from './list-interactions.js';
import { mayRead, sightOf } from './visibility.js';

/** Rows looked at in one go: a few milliseconds at most, since everybody waits meanwhile. */
const WINDOW = 2_000;

/** Windows per page. What is rarer than one row in so many takes several pages, some of them empty. */
const MAX_WINDOWS = 50;

const NOTHING: InteractionPage = { items: [], next: undefined };

@QueryHandler(ListInteractions)
export class ListInteractionsHandler implements IQueryHandler<ListInteractions> {
  constructor(
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    private readonly queries: QueryBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async execute(query: ListInteractions): Promise<Result<InteractionPage, Rejection>> {
    const { caller, filter, limit } = query;
    const { readWaitMs } = this.config;
    if (!(await this.readModel.waitFor(query.seen, readWaitMs, [INTERACTION_LIST]))) {
      return err({ code: 'projection-behind' });
    }
    const scope = this.scopeOf(caller);
    if (scope.kind === 'agents' && scope.agents.length === 0) return ok(NOTHING);
    const selection = selectionOf(filter, scope, timestampOf(this.clock()));
    const rows: Row[] = [];
    let before = query.after ?? FROM_THE_END;
    for (let windows = 0; windows < MAX_WINDOWS; windows++) {
      const window = nextWindow(this.readModel, selection, before, WINDOW);
      if (window === undefined) return ok(this.pageOf(rows, undefined));
      // One row more than asked for tells whether there is a next page.
      const wanted = limit + 1 - rows.length;
      const found = selectRows(this.readModel, selection, { before, last: window.last }, wanted);
      rows.push(...(await this.readable(found, caller, scope)));
      if (rows.length > limit)
        return ok(this.pageOf(rows.slice(0, limit), rows[limit - 1]?.position));
      const lastFound = found.length === wanted ? found.at(-1) : undefined;
      if (lastFound === undefined && window.count < WINDOW) return ok(this.pageOf(rows, undefined));
      before = lastFound?.position ?? window.last;
      await othersFirst();
    }
    return ok(this.pageOf(rows, before));
  }

  private scopeOf(caller: Caller): RowScope {
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
  private async readable(
    rows: readonly Row[],
    caller: Caller,
    scope: RowScope,
  ): Promise<readonly Row[]> {
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

  private pageOf(rows: readonly Row[], next: Position | undefined): InteractionPage {
    const items = rows.map((row) => {
      const stream = interactionStream(row.interaction_id);
      return listed(row, this.readModel.isReliable(INTERACTION_LIST, stream));
    });
    return { items, next };
  }
}
