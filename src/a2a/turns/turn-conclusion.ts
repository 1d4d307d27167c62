import type { InvocationOutcome } from '../../invocations/commands/invocation-ledger.js';
import type { StoredTask } from '../tasks/domain/task.js';
import { outcomeOfStatus } from '../tasks/domain/turn-outcome.js';
import type { Heard } from './hear-handler.js';
import { endingBy } from './turn-failures.js';
import type { DirectTurn } from './turn-plan.js';
import { endingChange, type EndingChange } from './turn-script.js';

/** Why a handler was told to end: the turn is over already, it takes too long, the node stops. */
export type StopReason = 'past' | 'deadline' | 'node-stops';

interface Conclusion {
  readonly change: EndingChange;
  /** Of the call. */
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
      return by(endingChange(heard.ending, isShown));
    case 'threw':
    case 'broken': {
      const text = `The capability failed; the fault is logged under ${correlationId}.`;
      return by(endingBy('handler-failed', direct, text));
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
      return by(endingBy('timed-out', direct));
    case 'node-stops':
      return by(endingBy('interrupted', direct));
  }
}

/** With what a turn ends whose handler's words could not be recorded: how far it came, nobody knows. */
export function unwritten(correlationId: string, direct: DirectTurn | null): Conclusion {
  const text =
    'What the capability said could not be recorded, so that it was interrupted; ' +
    `the fault is logged under ${correlationId}.`;
  return by(endingBy('interrupted', direct, text));
}

/** The ledger says what the task says, so that whoever goes by the task after a crash says the same. */
function by(change: EndingChange): Conclusion {
  const outcome = change.kind === 'answer' ? 'succeeded' : outcomeOfStatus(change);
  if (outcome === undefined) throw new TypeError('a turn ends in a state that is no end');
  return { change, outcome };
}

/** The outcome of a call whose turn somebody else has ended. */
export function outcomeOfPast({ task }: StoredTask): InvocationOutcome {
  return task.status.state === 'TASK_STATE_CANCELED' ? 'canceled' : 'interrupted';
}
