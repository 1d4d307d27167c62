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
  /** Revision of the last event that was not about a webhook: what a turn is written against. */
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

/** It waits for an approval of its call by a human, and takes no message before. */
export function isHeld({ task, hold }: StoredTask): boolean {
  return hold !== null && isInterrupted(task.status.state);
}

/** It never changes again, but for its webhooks. */
export function hasEnded({ task, answer }: StoredTask): boolean {
  return answer !== null || isTerminal(task.status.state);
}
