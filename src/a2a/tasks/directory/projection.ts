import type { ProjectedEvent, Projection, ProjectionDatabase } from '../../../projections/port.js';
import type { StoredTaskEvent } from '../domain/events.js';
import { taskOfStream, TASK_STREAMS, WEBHOOK_STREAMS } from '../domain/streams.js';
import type { WebhookEvent } from '../domain/webhook-progress.js';
import { TABLES } from './tables.js';
import {
  answer,
  changeStatus,
  setDeadline,
  setWebhook,
  submit,
  tellWebhooks,
} from './task-rows.js';

/**
 * Where tasks are found: by their owner, by what has become due, and by what their webhooks have not
 * been told. It holds no word of a message.
 */
export const taskDirectory: Projection<StoredTaskEvent | WebhookEvent> = {
  name: 'task-directory',
  version: 4,
  streamPrefixes: [TASK_STREAMS, WEBHOOK_STREAMS],
  takes: {
    'task-submitted': 'data',
    'task-routed': 'data',
    'task-message-added': 'data',
    'task-status-changed': 'data',
    'task-artifact-updated': 'data',
    'task-shown': 'data',
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
    case 'task-shown':
      return;
    case 'task-routed':
      setDeadline(db, taskId, event.data.deadline);
      return;
    case 'task-message-added':
      changeStatus(db, taskId, event, 'TASK_STATE_SUBMITTED');
      tellWebhooks(db, taskId, event.revision);
      return;
    case 'task-status-changed':
      changeStatus(db, taskId, event, event.data.state, event.data.hold?.expiresAt);
      tellWebhooks(db, taskId, event.revision);
      return;
    case 'task-artifact-updated':
      tellWebhooks(db, taskId, event.revision);
      return;
    case 'task-answered':
      answer(db, taskId, event);
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
