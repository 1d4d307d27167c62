import type { Recorded } from '../../../kernel/event.js';
import { isInterrupted, isTerminal, type StreamResponse, type Task } from '../../wire/types.js';
import type { StoredTaskEvent, TaskMessageAdded, TaskSubmitted } from './events.js';

/** The first event of a turn. */
type TurnBeginning = Recorded<TaskSubmitted | TaskMessageAdded>;

/**
 * What an event within a turn says to whoever watches the task (A2A v1.0 section 3.2.3). Undefined: it
 * is internal.
 */
export function streamResponseOf(
  event: Exclude<Recorded<StoredTaskEvent>, TurnBeginning>,
  { id: taskId, contextId }: Pick<Task, 'id' | 'contextId'>,
): StreamResponse | undefined {
  switch (event.type) {
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
    case 'task-shown':
    case 'task-push-config-set':
    case 'task-push-config-deleted':
      return undefined;
  }
}

/**
 * With what a turn began that is over: its message, without all that came before it. A newer turn's first
 * event tells the whole task, which would otherwise be told as often as it has turns.
 */
export function turnBegun(
  { data, recordedAt }: TurnBeginning,
  { id, contextId }: Pick<Task, 'id' | 'contextId'>,
): Task {
  const status = { state: 'TASK_STATE_SUBMITTED', timestamp: recordedAt } as const;
  return { id, contextId, status, history: [data.message] };
}

/** A turn begins with it: whoever watches is told the task. */
export function beginsTurn(event: Recorded<StoredTaskEvent>): event is TurnBeginning {
  return event.type === 'task-submitted' || event.type === 'task-message-added';
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

const NOT_OF_TURN: ReadonlySet<StoredTaskEvent['type']> = new Set([
  'task-push-config-set',
  'task-push-config-deleted',
  'task-shown',
] as const);

/** Webhooks come and go, and tasks are looked at, without a turn. */
export function isOfTurn({ type }: Pick<StoredTaskEvent, 'type'>): boolean {
  return !NOT_OF_TURN.has(type);
}
