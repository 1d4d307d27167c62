import type { ProjectedEvent, ProjectionDatabase } from '../../../projections/port.js';
import { isInterrupted, isTerminal, type TaskState } from '../../wire/types.js';
import type { TaskPushConfigSet, TaskSubmitted } from '../domain/events.js';
import { listingKey, tenantKey } from '../domain/owner.js';
import { originOf } from '../domain/webhook-origin.js';

type Placed = Pick<ProjectedEvent, 'position' | 'recordedAt'>;

/** The newest status of a task, as its row has it. */
interface Row {
  readonly [column: string]: string | number | null;
  readonly task: number;
  readonly owner: string | null;
}

export function submit(
  db: ProjectionDatabase,
  taskId: string,
  event: ProjectedEvent<TaskSubmitted>,
): void {
  const { owner, agentId, contextId } = event.data;
  const insert = (): boolean =>
    db
      .prepare(
        `INSERT INTO task_directory_tasks (task_id, owner, tenant, context_id, state, status_at, since)
         VALUES (?, ?, ?, ?, 'TASK_STATE_SUBMITTED', ?, ?) ON CONFLICT DO NOTHING RETURNING 1`,
      )
      .get(
        taskId,
        listingKey(owner, agentId),
        tenantKey(owner),
        contextId,
        Date.parse(event.recordedAt),
        event.position,
      ) !== undefined;
  if (insert()) return;
  // A task of this id was here before it was deleted, on another node perhaps.
  forgetTask(db, taskId);
  insert();
}

export function changeStatus(
  db: ProjectionDatabase,
  taskId: string,
  event: Placed,
  state: TaskState,
  heldUntil = 0,
): void {
  const task = supersede(db, taskId, event);
  if (task === undefined) return;
  const at = Date.parse(event.recordedAt);
  if (!isTerminal(state) && !isInterrupted(state)) {
    db.prepare(
      `UPDATE task_directory_tasks SET state = ?, status_at = ?, since = ?, waits_since = NULL
       WHERE task = ?`,
    ).run(state, at, event.position, task);
    return;
  }
  const [endedAt, waitsSince] = isTerminal(state) ? [at, null] : [null, Math.max(at, heldUntil)];
  db.prepare(
    `UPDATE task_directory_tasks
     SET state = ?, status_at = ?, since = ?, deadline = NULL, ended_at = ?, waits_since = ?
     WHERE task = ?`,
  ).run(state, at, event.position, endedAt, waitsSince, task);
}

/** Nobody sees a task that ended in a message: it stands in no list. */
export function answer(db: ProjectionDatabase, taskId: string, event: Placed): void {
  const task = supersede(db, taskId, event);
  if (task === undefined) return;
  db.prepare(
    `UPDATE task_directory_tasks
     SET owner = NULL, deadline = NULL, ended_at = ?, waits_since = NULL WHERE task = ?`,
  ).run(Date.parse(event.recordedAt), task);
}

/**
 * Keeps the status that a task has had up to this event.
 * @returns the number of the task, undefined when it is unknown
 */
function supersede(
  db: ProjectionDatabase,
  taskId: string,
  { position, recordedAt }: Placed,
): number | undefined {
  const row = db
    .prepare<Row>(
      `SELECT task, owner, context_id, state, status_at, since FROM task_directory_tasks
       WHERE task_id = ?`,
    )
    .get(taskId);
  if (row === undefined) return undefined;
  if (row.owner !== null) {
    db.prepare(
      `INSERT INTO task_directory_superseded
         (task, owner, context_id, state, status_at, since, until, gone_at)
       VALUES (@task, @owner, @context_id, @state, @status_at, @since, @until, @gone_at)`,
    ).run({ until: position, gone_at: Date.parse(recordedAt), ...row });
  }
  return row.task;
}

export function setDeadline(db: ProjectionDatabase, taskId: string, deadline: number | null): void {
  db.prepare('UPDATE task_directory_tasks SET deadline = ? WHERE task_id = ?').run(
    deadline,
    taskId,
  );
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
  // Without a row its task is gone, and so is the webhook soon.
  db.prepare(
    `INSERT OR REPLACE INTO task_directory_webhooks
       (tenant, task_id, config_id, origin, set_at, newest, done)
     SELECT tenant, task_id, ?, ?, ?, ?, ? FROM task_directory_tasks WHERE task_id = ?`,
  ).run(config.id, originOf(config.url), revision, revision, revision, taskId);
}

/** Every row of a task. */
export function forgetTask(db: ProjectionDatabase, taskId: string): void {
  db.prepare(
    `DELETE FROM task_directory_superseded
     WHERE task = (SELECT task FROM task_directory_tasks WHERE task_id = ?)`,
  ).run(taskId);
  for (const table of ['tasks', 'webhooks']) {
    db.prepare(`DELETE FROM task_directory_${table} WHERE task_id = ?`).run(taskId);
  }
}
