import type { InvocationOutcome } from '../../invocations/commands/invocation-ledger.js';
import type { StoredTask, TaskChange } from '../tasks/domain/task.js';
import { OUTCOMES } from '../tasks/domain/turn-outcome.js';
import type { Heard } from './hear-handler.js';
import { endingBy } from './turn-failures.js';
import type { DirectTurn } from './turn-plan.js';
import { ENDING_STATES, endingChange, type TurnEnding } from './turn-script.js';

/** Why a handler was told to end: the turn is over already, it takes too long, the node stops. */
export type StopReason = 'past' | 'deadline' | 'node-stops';

interface Conclusion {
  readonly change: TaskChange;
  readonly outcome: InvocationOutcome;
}

/** What the end of a turn depends on besides its handler. */
interface Circumstances {
  /** Why the handler was stopped, if it was. */
  readonly reason: StopReason;
  /** The caller has seen the task. */
  readonly isShown: boolean;
  readonly correlationId: string;
  readonly direct: DirectTurn | null;
}

/** With what a turn ends; `past` when it has ended already. */
export function concluding(heard: Heard, about: Circumstances): Conclusion | 'past' {
  const { reason, isShown, correlationId, direct } = about;
  switch (heard.kind) {
    case 'ended':
      return {
        change: endingChange(heard.ending, isShown),
        outcome: outcomeOfEnding(heard.ending),
      };
    case 'threw':
    case 'broken': {
      const text = `The capability failed; the fault is logged under ${correlationId}.`;
      return { change: endingBy('handler-failed', direct, text), outcome: 'failed' };
    }
    case 'stopped':
      return stopped(reason, direct);
  }
}

function stopped(reason: StopReason, direct: DirectTurn | null): Conclusion | 'past' {
  switch (reason) {
    case 'past':
      return 'past';
    case 'deadline':
      return { change: endingBy('timed-out', direct), outcome: 'failed' };
    case 'node-stops':
      return { change: endingBy('interrupted', direct), outcome: 'interrupted' };
  }
}

function outcomeOfEnding({ kind }: TurnEnding): InvocationOutcome {
  return kind === 'message' ? 'succeeded' : OUTCOMES[ENDING_STATES[kind]];
}

/** The outcome of a call whose turn somebody else has ended. */
export function outcomeOfPast({ task }: StoredTask): InvocationOutcome {
  return task.status.state === 'TASK_STATE_CANCELED' ? 'canceled' : 'interrupted';
}
