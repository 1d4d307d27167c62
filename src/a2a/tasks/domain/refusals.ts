import type { Fault } from '../../../kernel/rejection.js';
import type { A2aRefusal } from '../../wire/refusal.js';
import { MAX_PUSH_CONFIGS } from './push-config.js';

/** Of a foreign task as of an unknown one. */
export function taskNotFound(id: string): A2aRefusal {
  return {
    error: 'TaskNotFound',
    detail: 'There is no such task.',
    ...(id.length <= 128 ? { metadata: { taskId: id } } : {}),
  };
}

export function taskNotCancelable(id: string): A2aRefusal {
  return {
    error: 'TaskNotCancelable',
    detail: 'The task has ended, so that it cannot be canceled.',
    metadata: { taskId: id },
  };
}

/** Another message, or another webhook, would make the task larger than a task may be. */
export function taskFull(taskId: string): A2aRefusal {
  const detail = 'The task holds as much as one task may; begin another one.';
  return { error: 'UnsupportedOperation', detail, code: 'task-full', metadata: { taskId } };
}

/** More webhooks than a task may have. */
export function tooManyPushConfigs(): A2aRefusal {
  const detail = `A task has at most ${MAX_PUSH_CONFIGS} webhooks.`;
  return { error: 'InvalidParams', detail, code: 'too-many-push-configs' };
}

export function invalidParams(code: string, faults: readonly Fault[]): A2aRefusal {
  const [first] = faults;
  const detail =
    first === undefined ? 'The parameters are not valid.' : `${first.pointer} ${first.detail}.`;
  return { error: 'InvalidParams', detail, code, faults };
}
