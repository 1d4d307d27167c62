import type { Capability } from '../../capabilities/domain/capability.js';
import type { JsonPointer } from '../../kernel/json.js';
import { invalidParams } from '../tasks/domain/refusals.js';
import type { A2aRefusal } from '../wire/refusal.js';

/** A message id is used once: again only for the very same message. */
export function messageIdReused(): A2aRefusal {
  return fault('message-id-reused', '/message/messageId', 'was used with another message');
}

/** The call of this very message was made, and its task is no longer kept: it is never made again. */
export function messageIdSpent(): A2aRefusal {
  const detail = 'was taken before, and what came of it is no longer kept';
  return fault('message-id-spent', '/message/messageId', detail);
}

/** A task has one context; a message may leave it out. */
export function contextMismatch(): A2aRefusal {
  return fault('context-mismatch', '/message/contextId', 'is not the context of the task');
}

/** `max_message_bytes` of the manifest: UTF-8 bytes of the message as JSON. */
export function messageTooLarge(maxBytes: number): A2aRefusal {
  return fault('message-too-large', '/message', `may have at most ${maxBytes} bytes here`);
}

/** `max_parts` of the manifest. */
export function tooManyParts(maxParts: number): A2aRefusal {
  return fault('too-many-parts', '/message/parts', `may have at most ${maxParts} items here`);
}

function fault(code: string, pointer: JsonPointer, detail: string): A2aRefusal {
  return invalidParams(code, [{ pointer, detail }]);
}

/** The task is in a terminal state. */
export function taskEnded(taskId: string): A2aRefusal {
  return unsupported('task-ended', 'The task has ended; it takes no more messages.', { taskId });
}

/** One turn of a task at a time. */
export function turnUnderWay(taskId: string): A2aRefusal {
  const detail = 'The task is being worked on; it takes the next message when it asks for one.';
  return unsupported('turn-under-way', detail, { taskId });
}

/** The call that it was last sent for waits for a human of the agent's. */
export function approvalPending(taskId: string): A2aRefusal {
  const detail = 'The task waits for an approval; it takes messages again when that came out.';
  return unsupported('approval-pending', detail, { taskId });
}

/**
 * The capability does not exist for this caller, or not any more. Says no name: whoever may not use
 * it learns nothing from this.
 */
export function notAvailable(): A2aRefusal {
  return unsupported('capability-unavailable', 'What this is for is not available to you.');
}

/** The capability runs on a backend, which is for callers with a token unless the manifest says else. */
export function tokenRequired({ manifest }: Capability): A2aRefusal {
  const detail = 'The capability is for callers with a token; nothing was run.';
  return unsupported('token-required', detail, { skillId: manifest.id });
}

/** Its manifest names a handler that this process does not have, and no backend either. */
export function notImplemented({ manifest }: Capability): A2aRefusal {
  const detail = 'The capability has no handler where this message arrived; nothing was run.';
  return unsupported('handler-absent', detail, { skillId: manifest.id });
}

/** Too many calls are under way: of this capability, of this caller, or in all. */
export function busy({ manifest }: Capability): A2aRefusal {
  return {
    error: 'Unavailable',
    code: 'capability-busy',
    detail: 'Too many calls are under way; try again.',
    metadata: { skillId: manifest.id },
    retryAfterSeconds: 1,
  };
}

/** The caller has called the capability as often within a minute as it may, under this contract. */
export function rateLimited({ manifest }: Capability, retryAfterSeconds: number): A2aRefusal {
  return {
    error: 'RateLimited',
    code: 'rate-limited',
    detail: `The capability may be called again in ${retryAfterSeconds} seconds; nothing was run.`,
    metadata: { skillId: manifest.id },
    retryAfterSeconds,
  };
}

/** As many calls of the calling agent as may wait for an approval of the hosted one's tenant do. */
export function tooManyApprovals({ manifest }: Capability): A2aRefusal {
  return {
    error: 'RateLimited',
    code: 'too-many-approvals',
    detail: 'Too many calls of yours wait for an approval; come again when some came out.',
    metadata: { skillId: manifest.id },
    retryAfterSeconds: 60,
  };
}

/** The key was used with other arguments, or for another agent of the same principal. */
export function keyReused(): A2aRefusal {
  const detail = 'The idempotency key was used for another call.';
  return { error: 'InvalidParams', code: 'idempotency-key-reused', detail };
}

/** A call of this key was made, and its task is no longer kept: it is never made again. */
export function keySpent(): A2aRefusal {
  const detail = 'The idempotency key was used, and what came of it is no longer kept.';
  return { error: 'InvalidParams', code: 'idempotency-key-spent', detail };
}

/** The handler broke its rules: the task has failed. */
export function invalidAgentResponse(taskId: string): A2aRefusal {
  return {
    error: 'InvalidAgentResponse',
    code: 'handler-broken',
    detail: 'The capability answered in a way that makes no sense; the task has failed.',
    metadata: { taskId },
  };
}

function unsupported(
  code: string,
  detail: string,
  metadata?: Readonly<Record<string, string>>,
): A2aRefusal {
  return { error: 'UnsupportedOperation', code, detail, ...(metadata && { metadata }) };
}
