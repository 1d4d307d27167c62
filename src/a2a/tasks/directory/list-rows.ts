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
  const { still, nowSuperseded, values } = sourcesOf(selection, asOf, after);
  return readModel
    .prepare<ListedRow>(
      `SELECT task_id AS taskId, s.status_at AS statusAt, s.since AS since ${still}
       UNION ALL
       SELECT task_id, s.status_at, s.since ${nowSuperseded}
       ORDER BY statusAt DESC, since DESC LIMIT +?`,
    )
    .all(...values, limit);
}

export function countRows(readModel: ReadModel, selection: Selection, asOf: Position): number {
  const { still, nowSuperseded, values } = sourcesOf(selection, asOf, undefined);
  const counted = readModel
    .prepare<{ count: number }>(
      `SELECT (SELECT count(*) ${still}) + (SELECT count(*) ${nowSuperseded}) AS count`,
    )
    .get(...values);
  return counted?.count ?? 0;
}

/** What is still valid of what was valid at a position, and what no longer is: two sources of rows. */
function sourcesOf(
  { owner, contextId, state, from }: Selection,
  asOf: Position,
  after: Pick<ListedRow, 'statusAt' | 'since'> | undefined,
): {
  readonly still: string;
  readonly nowSuperseded: string;
  readonly values: readonly SqlValue[];
} {
  const conditions = ['s.owner = ?', 's.since <= ?'];
  const values: SqlValue[] = [owner, asOf];
  if (contextId !== null) {
    conditions.push('s.context_id = ?');
    values.push(contextId);
  }
  if (state !== null) {
    conditions.push('s.state = ?');
    values.push(state);
  }
  if (from !== null) {
    conditions.push('s.status_at >= ?');
    values.push(from);
  }
  if (after !== undefined) {
    conditions.push('(s.status_at, s.since) < (?, ?)');
    values.push(after.statusAt, after.since);
  }
  const condition = conditions.join(' AND ');
  return {
    still: `FROM task_directory_tasks AS s WHERE ${condition}`,
    nowSuperseded:
      'FROM task_directory_superseded AS s JOIN task_directory_tasks USING (task) ' +
      `WHERE ${condition} AND until > ?`,
    values: [...values, ...values, asOf],
  };
}
