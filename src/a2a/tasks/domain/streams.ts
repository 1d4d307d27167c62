import type { Uuid } from '../../../kernel/ids.js';

const TASK = 'task-';
const WEBHOOKS = 'webhooks-';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const TASK_STREAMS = TASK;
export const WEBHOOK_STREAMS = WEBHOOKS;

/** A task id as this service makes them, or `undefined`. */
export function parseTaskId(text: string): Uuid | undefined {
  return UUID.test(text) ? (text as Uuid) : undefined;
}

export function taskStream(id: Uuid): string {
  return `${TASK}${id}`;
}

/** How far the webhooks of a task were told: beside the task, so that nothing of it is renumbered. */
export function webhookStream(id: Uuid): string {
  return `${WEBHOOKS}${id}`;
}

/** The task that a stream of either kind belongs to. */
export function taskOfStream(stream: string): Uuid {
  return stream.slice(stream.indexOf('-') + 1) as Uuid;
}
