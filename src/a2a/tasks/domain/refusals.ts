import type { Fault } from '../../../kernel/rejection.js';
import type { A2aRefusal } from '../../wire/refusal.js';

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

export function invalidParams(code: string, faults: readonly Fault[]): A2aRefusal {
  const [first] = faults;
  const detail =
    first === undefined ? 'The parameters are not valid.' : `${first.pointer} ${first.detail}.`;
  return { error: 'InvalidParams', detail, code, faults };
}
