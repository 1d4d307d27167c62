import type { Caller } from '../../kernel/caller.js';
import type { InteractionStatus } from '../../kernel/federated-interaction.js';
import type { AgentId, InteractionId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { Position } from '../../event-store/port.js';
import type { ReadModel, SqlValue } from '../../projections/port.js';
import { agentFinder, tenantFinder } from '../projection.js';
import { sortable } from '../sortable-timestamp.js';
import type { InteractionFilter, ListedInteraction } from './list-interactions.js';

/** Whose rows are asked for: see `domain/visibility.ts`. `agents` may be a few too many. */
export type RowScope =
  | { readonly kind: 'everything' }
  | { readonly kind: 'tenant'; readonly tenant: string }
  | { readonly kind: 'agents'; readonly tenant: string; readonly agents: readonly AgentId[] };

export interface Row {
  readonly position: Position;
  readonly interaction_id: InteractionId;
  readonly status: InteractionStatus;
  readonly initiator: AgentId;
  readonly responder: AgentId;
  readonly parties: string;
  readonly revision: number;
  readonly task_category: string | null;
  readonly deadline: Timestamp | null;
  readonly is_open: number;
  readonly accepted: string;
  readonly reported: string;
  readonly created_at: Timestamp;
  readonly updated_at: Timestamp;
  readonly expires_at: Timestamp;
  /** 1 when the expiry is due but not recorded. */
  readonly is_due: number;
}

/** A condition on the rows, and the rows that may fulfil it, found without looking at the others. */
export interface Selection {
  /** Only rows that this finder has; all rows when undefined. */
  readonly finder: string | undefined;
  readonly condition: string;
  readonly values: Readonly<Record<string, SqlValue>>;
}

const IS_DUE = `(i.status IN ('pending', 'active') AND i.expires_key <= @now)`;
const GOES_ON = `(i.status IN ('pending', 'active') AND i.expires_key > @now)`;
const IS_FOUND_BY = `EXISTS (SELECT 1 FROM interaction_list_finders AS other
  WHERE other.position = i.position AND other.finder = `;

/** @param now what has expired by then counts as expired, recorded or not */
export function selectionOf(filter: InteractionFilter, scope: RowScope, now: Timestamp): Selection {
  const { party, status, taskCategory, waitingOn, expiringBefore, updatedSince } = filter;
  const values: Record<string, SqlValue> = { now: sortable(now) };
  const conditions: string[] = [];
  const require = (condition: string, named: Readonly<Record<string, SqlValue>>): void => {
    conditions.push(condition);
    Object.assign(values, named);
  };

  const finder = finderOf(filter, scope);
  if (scope.kind === 'tenant' && finder !== tenantFinder(scope.tenant)) {
    require(`${IS_FOUND_BY}@tenant)`, { tenant: tenantFinder(scope.tenant) });
  }
  if (scope.kind === 'agents' && !isSoleFinder(finder, scope.agents)) {
    require(`EXISTS (SELECT 1 FROM json_each(i.parties) AS each
         WHERE each.value IN (SELECT value FROM json_each(@agents)))`, {
      agents: JSON.stringify(scope.agents),
    });
  }
  if (status !== undefined) {
    require(`iif(${IS_DUE}, 'expired', i.status) = @status`, { status });
  }
  if (taskCategory !== undefined) require('t.task_category = @taskCategory', { taskCategory });
  if (waitingOn !== undefined) {
    require(`${GOES_ON} AND instr(iif(i.is_open, i.accepted, i.reported), @waiting) = 0`, {
      waiting: JSON.stringify(waitingOn),
    });
    if (party !== undefined) {
      require(`${IS_FOUND_BY}@waitingFinder)`, { waitingFinder: agentFinder(waitingOn) });
    }
  }
  if (expiringBefore !== undefined) {
    require(`${GOES_ON} AND i.expires_key < @expiringBefore`, {
      expiringBefore: sortable(expiringBefore),
    });
  }
  if (updatedSince !== undefined) {
    require(`iif(${IS_DUE}, i.expires_key, i.updated_key) >= @updatedSince`, {
      updatedSince: sortable(updatedSince),
    });
  }
  return { finder, condition: conditions.join(' AND ') || 'TRUE', values };
}

/** The finder with the fewest rows that are known to hold all that is asked for. */
function finderOf({ party, waitingOn }: InteractionFilter, scope: RowScope): string | undefined {
  const agent = party ?? waitingOn;
  if (agent !== undefined) return agentFinder(agent);
  switch (scope.kind) {
    case 'everything':
      return undefined;
    case 'tenant':
      return tenantFinder(scope.tenant);
    case 'agents': {
      const [sole, ...others] = scope.agents;
      return sole !== undefined && others.length === 0
        ? agentFinder(sole)
        : tenantFinder(scope.tenant);
    }
  }
}

function isSoleFinder(finder: string | undefined, agents: readonly AgentId[]): boolean {
  return agents.length === 1 && agents.every((agent) => finder === agentFinder(agent));
}

/**
 * The next `size` rows of a selection's finder before a position, as a range: their last position and
 * how many there are. Bounds what the condition is asked of.
 */
export function nextWindow(
  readModel: ReadModel,
  { finder }: Selection,
  before: Position,
  size: number,
): { readonly last: Position; readonly count: number } | undefined {
  const from =
    finder === undefined
      ? 'interaction_list WHERE position < @before'
      : 'interaction_list_finders WHERE finder = @finder AND position < @before';
  const window = readModel
    .prepare<{ last: Position | null; count: number }>(
      `SELECT min(position) AS last, count(*) AS count
       FROM (SELECT position FROM ${from} ORDER BY position DESC LIMIT +@size)`,
    )
    .get({ before, size, ...(finder === undefined ? {} : { finder }) });
  if (window === undefined || window.last === null) return undefined;
  return { last: window.last, count: window.count };
}

/** The rows of a selection between two positions, the newest first. */
export function selectRows(
  readModel: ReadModel,
  { finder, condition, values }: Selection,
  range: { readonly before: Position; readonly last: Position },
  limit: number,
): readonly Row[] {
  // CROSS JOIN keeps the order of the tables: the finder leads, and its order is the list's.
  const [from, leader] =
    finder === undefined
      ? ['interaction_list AS i', 'i']
      : [
          `interaction_list_finders AS f
             CROSS JOIN interaction_list AS i ON i.position = f.position AND f.finder = @finder`,
          'f',
        ];
  return readModel
    .prepare<Row>(
      `SELECT i.*, t.task_category, t.deadline, ${IS_DUE} AS is_due
       FROM ${from} LEFT JOIN interaction_list_terms AS t ON t.number = i.terms
       WHERE ${leader}.position < @before AND ${leader}.position >= @last AND ${condition}
       ORDER BY ${leader}.position DESC LIMIT +@limit`,
    )
    .all({ ...values, ...range, limit, ...(finder === undefined ? {} : { finder }) });
}

/** The agents that a token without an agent claim may act for, as far as the list knows. */
export function agentsActedFor(
  readModel: ReadModel,
  { principal, client, tenant }: Caller,
): readonly AgentId[] {
  return readModel
    .prepare<{ agent_id: AgentId }>(
      `SELECT agent_id FROM interaction_list_agents WHERE owner = @principal AND tenant = @tenant
       UNION
       SELECT agent.agent_id FROM interaction_list_clients AS client
       CROSS JOIN interaction_list_agents AS agent ON agent.agent_id = client.agent_id
       WHERE client.client = @client AND agent.tenant = @tenant`,
    )
    .all({ principal, client, tenant })
    .map(({ agent_id }) => agent_id);
}

export function partiesOf(row: Row): readonly AgentId[] {
  return JSON.parse(row.parties) as AgentId[];
}

export function listed(row: Row, reliable: boolean): ListedInteraction {
  const isDue = row.is_due === 1;
  return {
    interactionId: row.interaction_id,
    status: isDue ? 'expired' : row.status,
    initiatorAgentId: row.initiator,
    responderAgentId: row.responder,
    parties: partiesOf(row),
    taskCategory: row.task_category,
    deadline: row.deadline,
    contractRevision: row.revision,
    waitingOn: isDue ? [] : waitingOn(row),
    createdAt: row.created_at,
    updatedAt: isDue ? row.expires_at : row.updated_at,
    expiresAt: row.expires_at,
    reliable,
  };
}

function waitingOn(row: Row): readonly AgentId[] {
  if (row.status !== 'pending' && row.status !== 'active') return [];
  const answered = row.is_open === 1 ? row.accepted : row.reported;
  const done = new Set(JSON.parse(`[${answered}]`) as AgentId[]);
  return partiesOf(row).filter((party) => !done.has(party));
}
