import type { ProjectedEvent, ProjectionDatabase } from '../../../projections/port.js';
import { isInterrupted, isTerminal, type TaskState } from '../../wire/types.js';
import type { TaskPushConfigSet, TaskSubmitted } from '../domain/events.js';
import { listingKey } from '../domain/owner.js';
import { originOf } from '../domain/webhook-origin.js';
import { NEWEST } from './tables.js';

type Placed = Pick<ProjectedEvent, 'position' | 'recordedAt'>;

export function submit(
  db: ProjectionDatabase,
  taskId: string,
  event: ProjectedEvent<TaskSubmitted>,
): void {
  // A task of this id may have been here before it was deleted, on another node perhaps.
  const isKnown = db.prepare('SELECT 1 FROM task_directory_lives WHERE task_id = ?').get(taskId);
  if (isKnown !== undefined) forgetTask(db, taskId);
  db.prepare('INSERT INTO task_directory_lives (task_id) VALUES (?)').run(taskId);
  const { owner, agentId, contextId } = event.data;
  const key = listingKey(owner, agentId);
  if (key === null) return;
  db.prepare(
    `INSERT INTO task_directory_statuses
       (task_id, since, until, owner, context_id, state, status_at, gone_at)
     VALUES (?, ?, ?, ?, ?, 'TASK_STATE_SUBMITTED', ?, NULL)`,
  ).run(taskId, event.position, NEWEST, key, contextId, Date.parse(event.recordedAt));
}

export function changeStatus(
  db: ProjectionDatabase,
  taskId: string,
  event: Placed,
  state: TaskState,
  heldUntil = 0,
): void {
  const at = Date.parse(event.recordedAt);
  db.prepare(
    `INSERT INTO task_directory_statuses
       (task_id, since, until, owner, context_id, state, status_at, gone_at)
     SELECT task_id, ?, '${NEWEST}', owner, context_id, ?, ?, NULL
     FROM task_directory_statuses WHERE task_id = ? AND until = '${NEWEST}'`,
  ).run(event.position, state, at, taskId);
  supersede(db, taskId, event);
  if (isTerminal(state)) setLife(db, taskId, { endedAt: at });
  else if (isInterrupted(state)) setLife(db, taskId, { waitsSince: Math.max(at, heldUntil) });
  else {
    db.prepare('UPDATE task_directory_lives SET waits_since = NULL WHERE task_id = ?').run(taskId);
  }
}

/** Ends the validity of the status before this event's. */
export function supersede(
  db: ProjectionDatabase,
  taskId: string,
  { position, recordedAt }: Placed,
): void {
  db.prepare(
    `UPDATE task_directory_statuses SET until = ?, gone_at = ?
     WHERE task_id = ? AND until = '${NEWEST}' AND since < ?`,
  ).run(position, Date.parse(recordedAt), taskId, position);
}

/** The turn is over. */
export function setLife(
  db: ProjectionDatabase,
  taskId: string,
  { endedAt, waitsSince }: { readonly endedAt?: number; readonly waitsSince?: number },
): void {
  db.prepare(
    `UPDATE task_directory_lives SET deadline = NULL, ended_at = ?, waits_since = ?
     WHERE task_id = ?`,
  ).run(endedAt ?? null, waitsSince ?? null, taskId);
}

export function tellWebhooks(db: ProjectionDatabase, taskId: string, revision: number): void {
  db.prepare('UPDATE task_directory_webhooks SET newest = ? WHERE task_id = ?').run(
    revision,
    taskId,
  );
}

export function setWebhook(
  db: ProjectionDatabase,
  taskId: string,
  { data: { config }, revision }: ProjectedEvent<TaskPushConfigSet>,
): void {
  db.prepare(
    `INSERT OR REPLACE INTO task_directory_webhooks
       (task_id, config_id, origin, set_at, newest, done) VALUES (?, ?, ?, ?, ?, ?)`,
  ).run(taskId, config.id, originOf(config.url), revision, revision, revision);
}

/** Every row of a task. */
export function forgetTask(db: ProjectionDatabase, taskId: string): void {
  for (const table of ['statuses', 'lives', 'webhooks']) {
    db.prepare(`DELETE FROM task_directory_${table} WHERE task_id = ?`).run(taskId);
  }
}
