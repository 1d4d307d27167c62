import type { InvocationOutcome } from '../../invocations/commands/invocation-ledger.js';
import type { StoredTask, TaskChange } from '../tasks/domain/task.js';
import { OUTCOMES } from '../tasks/domain/turn-outcome.js';
import type { Heard } from './hear-handler.js';
import { ENDING_STATES, endingChange, type TurnEnding } from './turn-script.js';

/** Why a handler was told to end: the turn is over already, it takes too long, the node stops. */
export type StopReason = 'past' | 'deadline' | 'node-stops';

interface Conclusion {
  readonly change: TaskChange;
  readonly outcome: InvocationOutcome;
}

/** With what a turn ends; `past` when it has ended already. */
export function concluding(
  heard: Heard,
  reason: StopReason,
  isShown: boolean,
  correlationId: string,
): Conclusion | 'past' {
  switch (heard.kind) {
    case 'ended':
      return {
        change: endingChange(heard.ending, isShown),
        outcome: outcomeOfEnding(heard.ending),
      };
    case 'threw':
    case 'broken':
      return failed(`The capability failed; the fault is logged under ${correlationId}.`, 'failed');
    case 'stopped':
      return stopped(reason);
  }
}

function stopped(reason: StopReason): Conclusion | 'past' {
  switch (reason) {
    case 'past':
      return 'past';
    case 'deadline':
      return failed('The capability did not end in time.', 'failed');
    case 'node-stops':
      return failed(
        'The service is being restarted; the capability was interrupted.',
        'interrupted',
      );
  }
}

function outcomeOfEnding({ kind }: TurnEnding): InvocationOutcome {
  return kind === 'message' ? 'succeeded' : OUTCOMES[ENDING_STATES[kind]];
}

/** The outcome of a call whose turn somebody else has ended. */
export function outcomeOfPast({ task }: StoredTask): InvocationOutcome {
  return task.status.state === 'TASK_STATE_CANCELED' ? 'canceled' : 'interrupted';
}

function failed(text: string, outcome: InvocationOutcome): Conclusion {
  return {
    change: { kind: 'status', state: 'TASK_STATE_FAILED', parts: [{ text }] },
    outcome,
  };
}
