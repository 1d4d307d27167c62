import type { InvocationOutcome } from '../../../invocations/domain/outcome.js';
import type { Recorded } from '../../../kernel/event.js';
import type { Uuid } from '../../../kernel/ids.js';
import type { TaskState } from '../../wire/types.js';
import type { StoredTaskEvent, TaskStatusChanged } from './events.js';

/** How a call ended whose turn ended in this state; in every other one it goes on. */
const OUTCOMES: Partial<Record<TaskState, InvocationOutcome>> = {
  TASK_STATE_COMPLETED: 'succeeded',
  // The handler has done its part: what comes next is another call.
  TASK_STATE_INPUT_REQUIRED: 'succeeded',
  TASK_STATE_AUTH_REQUIRED: 'succeeded',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_REJECTED: 'rejected',
  TASK_STATE_CANCELED: 'canceled',
};

/** How a call ended with a status of its task. */
export function outcomeOfStatus({
  state,
  outcome,
}: Pick<TaskStatusChanged['data'], 'state' | 'outcome'>): InvocationOutcome | undefined {
  return outcome ?? OUTCOMES[state];
}

/**
 * How a call ended, as the events of its task tell it; undefined when they tell of no end: the turn
 * is under way, or was never the task's.
 */
export function outcomeOfTurn(
  events: Iterable<Recorded<StoredTaskEvent>>,
  invocationId: Uuid,
): InvocationOutcome | undefined {
  let isItsTurn = false;
  for (const event of events) {
    if (event.type === 'task-routed') isItsTurn = event.data.binding?.invocationId === invocationId;
    const outcome = isItsTurn ? outcomeOf(event) : undefined;
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

function outcomeOf(event: StoredTaskEvent): InvocationOutcome | undefined {
  if (event.type === 'task-answered') return 'succeeded';
  // While the call waits for an approval it has not begun.
  if (event.type !== 'task-status-changed' || event.data.hold !== undefined) return undefined;
  return outcomeOfStatus(event.data);
}
