import type { NamedContract } from '../../invocations/domain/authorization.js';
import { hashJson } from '../../kernel/digest.js';
import type { TaskOwner } from '../tasks/domain/task.js';
import type { Message, SendMessageRequest, Task } from '../wire/types.js';
import type { A2aRequest } from './agent-operations.js';

/** A message on its way: who sent it, and what tells it from others. */
export interface ReceivedMessage {
  readonly request: A2aRequest;
  readonly owner: TaskOwner;
  readonly params: SendMessageRequest;
  /** Of the message as it was sent: b64u(SHA-256(JCS(message))). */
  readonly digest: string;
  /** The contract that it says it is sent under, null when it names none. */
  readonly contract: NamedContract | null;
}

/**
 * A message as it goes through all that follows. Its digest is taken once, and not before it is asked
 * for: most refusals need none.
 */
export function received(
  request: A2aRequest,
  owner: TaskOwner,
  params: SendMessageRequest,
  contract: NamedContract | null,
): ReceivedMessage {
  let digest: string | undefined;
  return {
    request,
    owner,
    params,
    get digest() {
      return (digest ??= hashJson(params.message));
    },
    contract,
  };
}

/** Messages before the newest one that still count, the first always among them. */
const MAX_EARLIER = 8;

/**
 * The answer to the question what a message is for, together with that message: who handles it sees
 * them as one. The very message that was given when there is nothing before it.
 */
export function withEarlier(message: Message, task: Task): Message {
  const earlier = (task.history ?? []).filter(({ role }) => role === 'ROLE_USER');
  const [first, ...others] = earlier;
  if (first === undefined) return message;
  const counting = [first, ...others.slice(1 - MAX_EARLIER)];
  return {
    ...message,
    // As the task holds it, so that it is the same one, however often it is put together.
    taskId: task.id,
    contextId: task.contextId,
    parts: [...counting.flatMap(({ parts }) => parts), ...message.parts],
  };
}
