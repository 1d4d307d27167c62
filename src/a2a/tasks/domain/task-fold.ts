import type { Timestamp } from '../../../kernel/timestamp.js';
import { isInterrupted, isTerminal } from '../../wire/types.js';
import type { StoredTask } from './task.js';
import type { PushConfig } from './push-config.js';

/** A webhook of a task, and since which of its events it is told. */
export interface SetPushConfig {
  readonly config: PushConfig;
  /** Revision of the event that set it: later events are for it. */
  readonly setAt: number;
}

/** A task as its stream tells it. */
export interface TaskFold extends StoredTask {
  /** By their ids. */
  readonly pushConfigs: ReadonlyMap<string, SetPushConfig>;
  /** Revision of the last event of a turn, not of a webhook or a look: what a turn is written against. */
  readonly turnRevision: number;
  /** Of the last event. */
  readonly recordedAt: Timestamp;
  /** When it came to its end, null before. */
  readonly endedAt: Timestamp | null;
  /** About how many characters it holds: what it costs to keep, and to send. */
  readonly weight: number;
}

/** A turn is under way: the handler may add to it. */
export function isRunning({ task, answer }: StoredTask): boolean {
  return answer === null && !isTerminal(task.status.state) && !isInterrupted(task.status.state);
}

/**
 * The turn may still end in a message instead of a task: it is the first, and neither has its handler
 * said anything nor was anybody shown the task by another node. Whom its own shows it, the turn knows.
 */
export function mayBeAnswered({ task, answer, messages, isShown }: StoredTask): boolean {
  const isSilent = task.status.state === 'TASK_STATE_SUBMITTED' && task.artifacts === undefined;
  return answer === null && isSilent && messages.size === 1 && !isShown;
}

/** It waits for an approval of its call by a human, and takes no message before. */
export function isHeld({ task, hold }: StoredTask): boolean {
  return hold !== null && isInterrupted(task.status.state);
}

/**
 * It ended for a call that another task made: neither that nor what came of it is this one's, and
 * nobody sees it. A task that answered with a message is bound to its call.
 */
export function isOfNoCall({ answer, binding }: StoredTask): boolean {
  return answer !== null && binding === null;
}

/** It never changes again, but for its webhooks. */
export function hasEnded({ task, answer }: StoredTask): boolean {
  return answer !== null || isTerminal(task.status.state);
}
