import type { Position } from '../../../event-store/port.js';
import type { Uuid } from '../../../kernel/ids.js';
import type { ReadModel, SqlValue } from '../../../projections/port.js';
import type { TaskState } from '../../wire/types.js';

/** Which tasks a list is about. */
export interface Selection {
  readonly owner: string;
  readonly contextId: string | null;
  readonly state: TaskState | null;
  /** Milliseconds since the epoch, inclusive. */
  readonly from: number | null;
}

/** A status that a task had. */
export interface ListedRow {
  readonly taskId: Uuid;
  readonly statusAt: number;
  /** The position of its event: unique, and so what orders statuses of one moment. */
  readonly since: string;
}

/** The rows that were valid at a position, the newest status first, after a row of that order. */
export function selectRows(
  readModel: ReadModel,
  selection: Selection,
  asOf: Position,
  after: Pick<ListedRow, 'statusAt' | 'since'> | undefined,
  limit: number,
): readonly ListedRow[] {
  const { condition, values } = conditionOf(selection, asOf);
  const following = after === undefined ? '' : 'AND (status_at, since) < (?, ?)';
  const place = after === undefined ? [] : [after.statusAt, after.since];
  return readModel
    .prepare<ListedRow>(
      `SELECT task_id AS taskId, status_at AS statusAt, since FROM task_directory_statuses
       WHERE ${condition} ${following} ORDER BY status_at DESC, since DESC LIMIT ?`,
    )
    .all(...values, ...place, limit);
}

export function countRows(readModel: ReadModel, selection: Selection, asOf: Position): number {
  const { condition, values } = conditionOf(selection, asOf);
  const counted = readModel
    .prepare<{ count: number }>(
      `SELECT count(*) AS count FROM task_directory_statuses WHERE ${condition}`,
    )
    .get(...values);
  return counted?.count ?? 0;
}

function conditionOf(
  { owner, contextId, state, from }: Selection,
  asOf: Position,
): { readonly condition: string; readonly values: readonly SqlValue[] } {
  const conditions = ['owner = ?', 'since <= ?', 'until > ?'];
  const values: SqlValue[] = [owner, asOf, asOf];
  if (contextId !== null) {
    conditions.push('context_id = ?');
    values.push(contextId);
  }
  if (state !== null) {
    conditions.push('state = ?');
    values.push(state);
  }
  if (from !== null) {
    conditions.push('status_at >= ?');
    values.push(from);
  }
  return { condition: conditions.join(' AND '), values };
}
