import type { EventTypes } from '../../event-store/codec.js';
import type { StoredTaskEvent } from './domain/events.js';
import type { WebhookEvent } from './domain/webhook-progress.js';

export const TASK_EVENT_TYPES: EventTypes<StoredTaskEvent> = {
  'task-submitted': { schemaVersion: 1 },
  'task-routed': { schemaVersion: 1 },
  'task-message-added': { schemaVersion: 1 },
  'task-status-changed': { schemaVersion: 1 },
  'task-artifact-updated': { schemaVersion: 1 },
  'task-shown': { schemaVersion: 1 },
  'task-answered': { schemaVersion: 1 },
  'task-push-config-set': { schemaVersion: 1 },
  'task-push-config-deleted': { schemaVersion: 1 },
};

export const WEBHOOK_EVENT_TYPES: EventTypes<WebhookEvent> = {
  'notification-delivered': { schemaVersion: 1 },
  'notification-abandoned': { schemaVersion: 1 },
};
