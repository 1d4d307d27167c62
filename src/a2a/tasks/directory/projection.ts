import type { ProjectedEvent, Projection, ProjectionDatabase } from '../../../projections/port.js';
import { isInterrupted, isTerminal, type TaskState } from '../../wire/types.js';
import type { StoredTaskEvent, TaskPushConfigSet, TaskSubmitted } from '../domain/events.js';
import { listingKey } from '../domain/owner.js';
import { taskOfStream, TASK_STREAMS, WEBHOOK_STREAMS } from '../domain/streams.js';
import type { WebhookEvent } from '../domain/webhook-progress.js';
import { originOf } from '../domain/webhook-origin.js';

/**
 * Where tasks are found: by their owner, by what has become due, and by what their webhooks have not
 * been told. It holds no word of a message.
 *
 * - `_statuses`: one row per status that a task has had, valid for positions from `since` to before
 *   `until` ('~' for the newest, which sorts after every position). A list of several pages is read
 *   as of one position, so that nothing moves under it. `gone_at` is when the row was superseded.
 *   The index by owner holds all that a list asks for and grows at its end: another one by context would
 *   cost every turn more than it saves a reader.
 * - `_lives`: one row per task: when it ended, until when its turn must have, since when it waits
 *   for its caller. Milliseconds since the epoch.
 * - `_webhooks`: one row per webhook: the revisions of the newest event that is for it, and of the
 *   last one that is done with.
 */
export const TASK_DIRECTORY = 'task-directory';

/** Sorts after every position. */
const NEWEST = '~';

const TABLES = `
  DROP TABLE IF EXISTS task_directory_statuses;
  CREATE TABLE task_directory_statuses (
    task_id TEXT NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL,
    owner TEXT NOT NULL, context_id TEXT NOT NULL, state TEXT NOT NULL,
    status_at INTEGER NOT NULL, gone_at INTEGER,
    PRIMARY KEY (task_id, since)
  ) WITHOUT ROWID;
  CREATE INDEX task_directory_by_owner
    ON task_directory_statuses (owner, status_at, since, until, state, context_id);
  CREATE INDEX task_directory_gone ON task_directory_statuses (gone_at) WHERE gone_at IS NOT NULL;

  DROP TABLE IF EXISTS task_directory_lives;
  CREATE TABLE task_directory_lives (
    task_id TEXT PRIMARY KEY, ended_at INTEGER, deadline INTEGER, waits_since INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX task_directory_ended ON task_directory_lives (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX task_directory_deadlines
    ON task_directory_lives (deadline) WHERE deadline IS NOT NULL;
  CREATE INDEX task_directory_waiting
    ON task_directory_lives (waits_since) WHERE waits_since IS NOT NULL;

  DROP TABLE IF EXISTS task_directory_webhooks;
  CREATE TABLE task_directory_webhooks (
    task_id TEXT NOT NULL, config_id TEXT NOT NULL, origin TEXT NOT NULL,
    set_at INTEGER NOT NULL, newest INTEGER NOT NULL, done INTEGER NOT NULL,
    PRIMARY KEY (task_id, config_id)
  ) WITHOUT ROWID;
  CREATE INDEX task_directory_untold
    ON task_directory_webhooks (task_id, config_id) WHERE newest > done;
`;

export const taskDirectory: Projection<StoredTaskEvent | WebhookEvent> = {
  name: TASK_DIRECTORY,
  version: 1,
  streamPrefixes: [TASK_STREAMS, WEBHOOK_STREAMS],
  takes: {
    'task-submitted': 'data',
    'task-routed': 'data',
    'task-message-added': 'data',
    'task-status-changed': 'data',
    'task-artifact-updated': 'data',
    'task-answered': 'data',
    'task-push-config-set': 'data',
    'task-push-config-deleted': 'data',
    'notification-delivered': 'data',
    'notification-abandoned': 'data',
  },
  reset: (db) => {
    db.exec(TABLES);
  },
  apply,
};

function apply(
  db: ProjectionDatabase,
  event: ProjectedEvent<StoredTaskEvent | WebhookEvent>,
): void {
  const taskId = taskOfStream(event.stream);
  switch (event.type) {
    case 'task-submitted':
      submit(db, taskId, event);
      return;
    case 'task-routed':
      db.prepare('UPDATE task_directory_lives SET deadline = ? WHERE task_id = ?').run(
        event.data.deadline,
        taskId,
      );
      return;
    case 'task-message-added':
      changeStatus(db, taskId, event, 'TASK_STATE_SUBMITTED');
      tellWebhooks(db, taskId, event.revision);
      return;
    case 'task-status-changed':
      changeStatus(db, taskId, event, event.data.state);
      tellWebhooks(db, taskId, event.revision);
      return;
    case 'task-artifact-updated':
      tellWebhooks(db, taskId, event.revision);
      return;
    case 'task-answered':
      // Nobody sees such a task: it stands in no list.
      supersede(db, taskId, event);
      setLife(db, taskId, { endedAt: Date.parse(event.recordedAt) });
      tellWebhooks(db, taskId, event.revision);
      return;
    case 'task-push-config-set':
      setWebhook(db, taskId, event);
      return;
    case 'task-push-config-deleted':
      db.prepare('DELETE FROM task_directory_webhooks WHERE task_id = ? AND config_id = ?').run(
        taskId,
        event.data.configId,
      );
      return;
    case 'notification-delivered':
    case 'notification-abandoned': {
      const { configId, setAt, revision } = event.data;
      db.prepare(
        `UPDATE task_directory_webhooks SET done = max(done, ?)
         WHERE task_id = ? AND config_id = ? AND set_at = ?`,
      ).run(revision, taskId, configId, setAt);
      return;
    }
  }
}

type Placed = Pick<ProjectedEvent, 'position' | 'recordedAt'>;

function submit(
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

function changeStatus(
  db: ProjectionDatabase,
  taskId: string,
  event: Placed,
  state: TaskState,
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
  else if (isInterrupted(state)) setLife(db, taskId, { waitsSince: at });
  else {
    db.prepare('UPDATE task_directory_lives SET waits_since = NULL WHERE task_id = ?').run(taskId);
  }
}

/** Ends the validity of the status before this event's. */
function supersede(db: ProjectionDatabase, taskId: string, { position, recordedAt }: Placed): void {
  db.prepare(
    `UPDATE task_directory_statuses SET until = ?, gone_at = ?
     WHERE task_id = ? AND until = '${NEWEST}' AND since < ?`,
  ).run(position, Date.parse(recordedAt), taskId, position);
}

/** The turn is over. */
function setLife(
  db: ProjectionDatabase,
  taskId: string,
  { endedAt, waitsSince }: { readonly endedAt?: number; readonly waitsSince?: number },
): void {
  db.prepare(
    `UPDATE task_directory_lives SET deadline = NULL, ended_at = ?, waits_since = ?
     WHERE task_id = ?`,
  ).run(endedAt ?? null, waitsSince ?? null, taskId);
}

function tellWebhooks(db: ProjectionDatabase, taskId: string, revision: number): void {
  db.prepare('UPDATE task_directory_webhooks SET newest = ? WHERE task_id = ?').run(
    revision,
    taskId,
  );
}

function setWebhook(
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
