import type { Json } from '../../../kernel/json.js';
import type { Message, Part } from '../../wire/types.js';
import type { StoredTaskEvent } from './events.js';
import type { TaskFold } from './task-fold.js';

/**
 * All that may ever be said to and by one task, in characters of JSON: it is read, held and sent as a
 * whole.
 */
export const MAX_TASK_WEIGHT = 16 * 1024 * 1024;

const PER_OBJECT = 64;

/** About how many characters parts are as JSON: an estimate that costs less than writing them. */
export function weightOfParts(parts: readonly Part[]): number {
  return parts.reduce((weight, part) => weight + weightOf(part), 0);
}

/**
 * What an event adds to the weight of its task. What it replaces still counts: the stream holds it,
 * and too much is on the safe side.
 */
export function weightOfEvent(event: StoredTaskEvent): number {
  switch (event.type) {
    case 'task-submitted':
    case 'task-message-added':
    case 'task-answered':
      return weightOf(event.data.message);
    case 'task-status-changed': {
      const { message, metadata } = event.data;
      // The message stands in the status and in the history.
      return weightOfPresent(metadata) + 2 * weightOfPresent(message);
    }
    case 'task-artifact-updated':
      return weightOf(event.data.artifact);
    case 'task-push-config-set':
      return weightOf(event.data.config);
    case 'task-routed':
    case 'task-shown':
    case 'task-push-config-deleted':
      return 0;
  }
}

/** Does the task hold no more than it may with these events, too? */
export function withinWeight(fold: TaskFold, events: readonly StoredTaskEvent[]): boolean {
  const weight = events.reduce((sum, event) => sum + weightOfEvent(event), fold.weight);
  return weight <= MAX_TASK_WEIGHT;
}

function weightOfPresent(value: Message | Json): number {
  return value === null ? 0 : weightOf(value);
}

function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  const members = value as Readonly<Record<string, unknown>>;
  let weight = PER_OBJECT;
  for (const name in members) weight += name.length + weightOf(members[name]);
  return weight;
}
