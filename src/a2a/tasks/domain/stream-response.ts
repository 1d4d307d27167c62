import type { Recorded } from '../../../kernel/event.js';
import { isInterrupted, isTerminal, type StreamResponse, type Task } from '../../wire/types.js';
import type { StoredTaskEvent } from './events.js';

/**
 * What an event says to whoever watches the task (A2A v1.0 section 3.2.3). `snapshot`: the task as it
 * stands after this event, with which a turn begins. Undefined: it is internal.
 */
export function streamResponseOf(
  event: Recorded<StoredTaskEvent>,
  { id: taskId, contextId }: Pick<Task, 'id' | 'contextId'>,
): StreamResponse | 'snapshot' | undefined {
  switch (event.type) {
    case 'task-submitted':
    case 'task-message-added':
      return 'snapshot';
    case 'task-status-changed': {
      const { state, message, metadata } = event.data;
      const timestamp = event.recordedAt;
      const status = message === null ? { state, timestamp } : { state, message, timestamp };
      const update = { taskId, contextId, status };
      return { statusUpdate: metadata === null ? update : { ...update, metadata } };
    }
    case 'task-artifact-updated': {
      const { artifact, append, lastChunk } = event.data;
      const update = { taskId, contextId, artifact };
      return {
        artifactUpdate: {
          ...update,
          ...(append ? { append } : {}),
          ...(lastChunk ? { lastChunk } : {}),
        },
      };
    }
    case 'task-answered':
      return { message: event.data.message };
    case 'task-routed':
    case 'task-push-config-set':
    case 'task-push-config-deleted':
      return undefined;
  }
}

/** After such an event there is nothing to wait for before the caller's next message. */
export function endsTurn(event: Recorded<StoredTaskEvent>): boolean {
  if (endsTask(event)) return true;
  return event.type === 'task-status-changed' && isInterrupted(event.data.state);
}

/** After such an event there is nothing to wait for at all. */
export function endsTask(event: Recorded<StoredTaskEvent>): boolean {
  if (event.type === 'task-answered') return true;
  return event.type === 'task-status-changed' && isTerminal(event.data.state);
}

/** Webhooks come and go without a turn. */
export function isOfTurn({ type }: Pick<StoredTaskEvent, 'type'>): boolean {
  return type !== 'task-push-config-set' && type !== 'task-push-config-deleted';
}
