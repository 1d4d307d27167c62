import type { DirectCall } from '../direct-invoke/direct-call.js';
import { readDirectCall } from '../direct-invoke/read-direct-call.js';
import type { StoredTask } from '../tasks/domain/task.js';
import type { Message, Task } from '../wire/types.js';
import { withEarlier } from './received-message.js';

/** The newest message of the caller: while its call waits, no other comes. */
export function heldMessage({ history = [] }: Task): Message | undefined {
  return history.findLast(({ role }) => role === 'ROLE_USER');
}

/** The direct invoke that the newest message is, null when it is none. */
export function heldDirectCall(
  { task, routing }: StoredTask,
  directInvokeExtensionUri: string | null,
): DirectCall | null {
  const message = heldMessage(task);
  const uri = directInvokeExtensionUri;
  if (routing?.layer !== 'direct-invoke' || uri === null || message === undefined) return null;
  const { taskId: _, ...sent } = message;
  const read = readDirectCall({ extensions: new Set([uri]) }, { message: sent }, uri);
  return read.ok ? read.value : null;
}

/**
 * What the implementation gets of a message: one that answers a question together with what was said
 * before, one that goes on with a task alone.
 */
export function asHandled({ task, routing }: StoredTask, message: Message): Message {
  if (routing?.layer === 'continuing-task') return message;
  const earlier = (task.history ?? []).filter(({ messageId }) => messageId !== message.messageId);
  return withEarlier(message, { ...task, history: earlier });
}
