import type { Recorded } from '../../../kernel/event.js';
import type { Timestamp } from '../../../kernel/timestamp.js';
import { isInterrupted, isTerminal, type Message, type Task } from '../../wire/types.js';
import { withArtifact } from './artifacts.js';
import type { StoredTaskEvent, TaskStatusChanged, TaskSubmitted } from './events.js';
import type { TaskFold } from './task-fold.js';
import { weightOfEvent } from './weight.js';

/** Null: no such task. */
export type TaskFoldState = TaskFold | null;

/** Records an event; never judges. */
export function evolveTask(state: TaskFoldState, event: Recorded<StoredTaskEvent>): TaskFold {
  if (event.type === 'task-submitted') return submitted(event);
  if (state === null) throw new Error(`${event.type} before task-submitted`);
  const { revision, recordedAt } = event;
  const weight = state.weight + weightOfEvent(event);
  const seen = { ...state, revision, recordedAt, weight };
  const fold = { ...seen, turnRevision: revision };
  switch (event.type) {
    case 'task-routed': {
      const { binding, routing, deadline } = event.data;
      return { ...fold, binding, routing, deadline };
    }
    case 'task-message-added': {
      const { message, digest } = event.data;
      const status = { state: 'TASK_STATE_SUBMITTED', timestamp: recordedAt } as const;
      return {
        ...fold,
        task: withHistory({ ...fold.task, status }, message),
        hold: null,
        messages: new Map(fold.messages).set(message.messageId, digest),
      };
    }
    case 'task-status-changed':
      return statusChanged(fold, event.data, recordedAt);
    case 'task-artifact-updated': {
      const { artifact, append } = event.data;
      const artifacts = withArtifact(fold.task.artifacts ?? [], artifact, append);
      return { ...fold, task: { ...fold.task, artifacts } };
    }
    case 'task-shown':
      return { ...seen, isShown: true };
    case 'task-answered':
      return {
        ...fold,
        answer: event.data.message,
        deadline: null,
        hold: null,
        endedAt: recordedAt,
      };
    case 'task-push-config-set': {
      const { config } = event.data;
      const pushConfigs = new Map(seen.pushConfigs).set(config.id, { config, setAt: revision });
      return { ...seen, pushConfigs };
    }
    case 'task-push-config-deleted': {
      const pushConfigs = new Map(seen.pushConfigs);
      pushConfigs.delete(event.data.configId);
      return { ...seen, pushConfigs };
    }
  }
}

function submitted(event: Recorded<TaskSubmitted>): TaskFold {
  const { data, revision, recordedAt } = event;
  const { taskId, contextId, agentId, owner, message, digest } = data;
  return {
    task: {
      id: taskId,
      contextId,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: recordedAt },
      history: [message],
    },
    agentId,
    owner,
    binding: null,
    routing: null,
    deadline: null,
    hold: null,
    answer: null,
    isShown: false,
    messages: new Map([[message.messageId, digest]]),
    revision,
    pushConfigs: new Map(),
    turnRevision: revision,
    recordedAt,
    endedAt: null,
    weight: weightOfEvent(event),
  };
}

/** An agent's message stands in the status and, for later turns, in the history. */
function statusChanged(
  fold: TaskFold,
  { state, message, metadata, hold }: TaskStatusChanged['data'],
  timestamp: Timestamp,
): TaskFold {
  const status = message === null ? { state, timestamp } : { state, message, timestamp };
  const task = metadata === null ? fold.task : withMetadata(fold.task, metadata);
  const isOver = isTerminal(state) || isInterrupted(state);
  return {
    ...fold,
    task: message === null ? { ...task, status } : withHistory({ ...task, status }, message),
    deadline: isOver ? null : fold.deadline,
    // A call that was approved and goes on is still the one that was held.
    hold: hold ?? (isOver ? null : fold.hold),
    endedAt: isTerminal(state) ? timestamp : null,
  };
}

function withHistory(task: Task, message: Message): Task {
  return { ...task, history: [...(task.history ?? []), message] };
}

function withMetadata(task: Task, metadata: NonNullable<Task['metadata']>): Task {
  return { ...task, metadata: { ...task.metadata, ...metadata } };
}
