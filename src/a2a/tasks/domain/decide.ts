import type { Uuid } from '../../../kernel/ids.js';
import { err, ok, type Result } from '../../../kernel/result.js';
import {
  isInterrupted,
  isTerminal,
  type Message,
  type Part,
  type TaskPushNotificationConfig,
} from '../../wire/types.js';
import type { NewTask, StoredTask, TaskChange, TaskChangeRefused } from './task.js';
import { isOneTooMany, pushConfigSet } from './decide-push-configs.js';
import type { StoredTaskEvent } from './events.js';
import { toPushConfig, type PushConfig } from './push-config.js';
import { withinWeight } from './weight.js';
import { hasEnded, isHeld, isRunning, mayBeAnswered, type TaskFold } from './task-fold.js';

/** Where ids come from that are made here: of messages, contexts and webhooks. */
export type NewId = () => string;

type Decision = Result<readonly StoredTaskEvent[], TaskChangeRefused>;

/** Ids of one task's messages from callers: a conversation that grows without end is none. */
export const MAX_MESSAGES = 1000;

/** The first events of a task. */
export function submitTask(id: Uuid, task: NewTask, newId: NewId): readonly StoredTaskEvent[] {
  const { agentId, owner, digest, pushConfig } = task;
  const contextId = task.message.contextId ?? newId();
  const message: Message = { ...task.message, taskId: id, contextId };
  const submitted: StoredTaskEvent = {
    type: 'task-submitted',
    data: { taskId: id, contextId, agentId, owner, message, digest },
    texts: null,
  };
  // Before the changes: the webhook is told of them.
  const configured = pushConfigsOf(pushConfig, newId).map(pushConfigSet);
  const changes = changeEvents({ id, contextId }, task.changes, newId);
  if (changes === undefined) throw new TypeError('a new task has changes after its end');
  return [submitted, ...configured, ...changes];
}

/**
 * A further turn, written against the task at `revision`. Webhooks that were set meanwhile stand in
 * nobody's way; everything else does.
 */
export function continueTask(
  fold: TaskFold,
  revision: number,
  turn: {
    readonly message: Message;
    readonly digest: string;
    readonly changes: readonly TaskChange[];
    readonly pushConfig?: TaskPushNotificationConfig;
  },
  newId: NewId,
): Decision {
  if (hasEnded(fold)) return err({ kind: 'terminal', task: fold });
  const { message, digest } = turn;
  const isKnown = fold.messages.has(message.messageId);
  if (fold.turnRevision > revision || isKnown) return err({ kind: 'moved-on', task: fold });
  if (fold.messages.size >= MAX_MESSAGES) return err({ kind: 'full', task: fold });
  const configs = pushConfigsOf(turn.pushConfig, newId);
  if (configs.some((config) => isOneTooMany(fold, config))) {
    return err({ kind: 'too-many-push-configs', task: fold });
  }
  const { id, contextId } = fold.task;
  const added: StoredTaskEvent = {
    type: 'task-message-added',
    data: { message: { ...message, taskId: id, contextId }, digest },
    texts: null,
  };
  const changes = changeEvents(fold.task, turn.changes, newId);
  if (changes === undefined) throw new TypeError('a turn has changes after its end');
  return unlessFull(fold, [added, ...configs.map(pushConfigSet), ...changes]);
}

function pushConfigsOf(
  pushConfig: TaskPushNotificationConfig | undefined,
  newId: NewId,
): PushConfig[] {
  return pushConfig === undefined ? [] : [toPushConfig(pushConfig, newId)];
}

/** What a handler says: only while its own turn is under way, and all of it or nothing. */
export function recordChanges(
  fold: TaskFold,
  invocationId: Uuid,
  changes: readonly TaskChange[],
  newId: NewId,
): Decision {
  if (hasEnded(fold)) return err({ kind: 'terminal', task: fold });
  if (fold.binding?.invocationId !== invocationId || !isRunning(fold)) {
    return err({ kind: 'moved-on', task: fold });
  }
  const shown = mayBeAnswered(fold) ? changes : changes.map(asShown);
  const events = changeEvents(fold.task, shown, newId);
  if (events === undefined) return err({ kind: 'moved-on', task: fold });
  return unlessFull(fold, events);
}

/** A task that somebody has seen does not vanish. */
function asShown(change: TaskChange): TaskChange {
  if (change.kind !== 'answer') return change;
  const { parts, ifShown } = change;
  return ifShown ?? { kind: 'status', state: 'TASK_STATE_COMPLETED', parts };
}

/**
 * Somebody is shown a task whose turn may be under way on another node, so that it ends in no message
 * any more. Nothing when it would not anyway; no direct invoke does.
 */
export function showTask(fold: TaskFold): Decision {
  if (!mayBeAnswered(fold) || fold.routing?.layer === 'direct-invoke') return ok([]);
  return ok([{ type: 'task-shown', data: { isShown: true }, texts: null }]);
}

/** Ends a hold, one way or the other: only while the task waits for an approval of this very call. */
export function releaseTask(
  fold: TaskFold,
  invocationId: Uuid,
  changes: readonly TaskChange[],
  newId: NewId,
): Decision {
  if (hasEnded(fold)) return err({ kind: 'terminal', task: fold });
  if (!isHeld(fold) || fold.hold?.invocationId !== invocationId) {
    return err({ kind: 'moved-on', task: fold });
  }
  const events = changeEvents(fold.task, changes, newId);
  if (events === undefined) throw new TypeError('a hold is released with changes after its end');
  return ok(events);
}

const TOO_LARGE: TaskChange = {
  kind: 'status',
  state: 'TASK_STATE_FAILED',
  parts: [{ text: 'The task has grown too large to go on, so that it failed.' }],
  outcome: 'interrupted',
};

/** Ends a turn that said more than its task may hold. */
export function endFullTurn(fold: TaskFold, invocationId: Uuid, newId: NewId): Decision {
  const decided = recordChanges(fold, invocationId, [], newId);
  return decided.ok ? ok(changeEvents(fold.task, [TOO_LARGE], newId) ?? []) : decided;
}

function unlessFull(fold: TaskFold, events: readonly StoredTaskEvent[]): Decision {
  return withinWeight(fold, events) ? ok(events) : err({ kind: 'full', task: fold });
}

/** Ends a turn from outside of its handler. Refused when there is nothing left to end. */
export function endTask(
  fold: TaskFold,
  state: 'TASK_STATE_CANCELED' | 'TASK_STATE_FAILED',
  parts: readonly Part[] | undefined,
  newId: NewId,
): Decision {
  if (hasEnded(fold)) return err({ kind: 'terminal', task: fold });
  const change: TaskChange = { kind: 'status', state, ...(parts === undefined ? {} : { parts }) };
  return ok(changeEvents(fold.task, [change], newId) ?? []);
}

/** Undefined when something comes after the end of the turn. */
function changeEvents(
  task: Pick<StoredTask['task'], 'id' | 'contextId'>,
  changes: readonly TaskChange[],
  newId: NewId,
): StoredTaskEvent[] | undefined {
  const say = (parts: readonly Part[]): Message => ({
    messageId: newId(),
    contextId: task.contextId,
    taskId: task.id,
    role: 'ROLE_AGENT',
    parts,
  });
  const events: StoredTaskEvent[] = [];
  let isOver = false;
  for (const change of changes) {
    if (isOver) return undefined;
    events.push(changeEvent(change, say));
    isOver =
      change.kind === 'answer' ||
      (change.kind === 'status' && (isTerminal(change.state) || isInterrupted(change.state)));
  }
  return events;
}

function changeEvent(
  change: TaskChange,
  say: (parts: readonly Part[]) => Message,
): StoredTaskEvent {
  switch (change.kind) {
    case 'routed': {
      const { binding, routing, deadline } = change;
      return { type: 'task-routed', data: { binding, routing, deadline }, texts: null };
    }
    case 'status': {
      const { state, parts, metadata, hold, outcome } = change;
      const message = parts === undefined || parts.length === 0 ? null : say(parts);
      const more = {
        ...(hold === undefined ? {} : { hold }),
        ...(outcome === undefined ? {} : { outcome }),
      };
      const data = { state, message, metadata: metadata ?? null, ...more };
      return { type: 'task-status-changed', data, texts: null };
    }
    case 'artifact': {
      const { artifact, append = false, lastChunk = false } = change;
      return { type: 'task-artifact-updated', data: { artifact, append, lastChunk }, texts: null };
    }
    case 'answer': {
      // There is no task for whoever gets it.
      const { taskId: _, ...message } = say(change.parts);
      return { type: 'task-answered', data: { message }, texts: null };
    }
  }
}
