import type { TaskChange, UntoldOutcome } from '../tasks/domain/task.js';
import type { DirectTurn, TurnFailure } from './turn-plan.js';

type StatusChange = Extract<TaskChange, { readonly kind: 'status' }>;

/** In which state a turn ends, and what its caller is told. */
const ENDINGS = {
  'not-recorded': ['TASK_STATE_FAILED', 'The call could not be recorded, so nothing was run.'],
  'made-before': [
    'TASK_STATE_REJECTED',
    'The message was taken before, and what came of it is no longer kept.',
  ],
  voided: [
    'TASK_STATE_REJECTED',
    'What the call rested on changed while the message was on its way, so nothing was run.',
  ],
  'approval-denied': ['TASK_STATE_REJECTED', 'The call was not approved, so nothing was run.'],
  'approval-expired': [
    'TASK_STATE_REJECTED',
    'Nobody approved the call in time, so nothing was run.',
  ],
  'approval-void': [
    'TASK_STATE_REJECTED',
    'What was asked to be approved is not what could be called now, so nothing was run.',
  ],
  'timed-out': ['TASK_STATE_FAILED', 'The capability did not end in time.'],
  interrupted: [
    'TASK_STATE_FAILED',
    'The service is being restarted; the capability was interrupted.',
  ],
  'handler-failed': ['TASK_STATE_FAILED', 'The capability failed.'],
} as const satisfies Record<TurnFailure, readonly [StatusChange['state'], string]>;

/** What is worth sending again; a failure is final for its message id and for its key. */
const REPEATABLE: ReadonlySet<TurnFailure> = new Set<TurnFailure>(['voided', 'approval-void']);

/** What the state does not tell: these implementations ran, and were not heard to the end. */
const UNTOLD: Partial<Record<TurnFailure, UntoldOutcome>> = {
  'timed-out': 'outcome-unknown',
  interrupted: 'interrupted',
};

/** The status with which a turn ends that its implementation did not end; the code is for machines. */
export function endingBy(
  why: TurnFailure,
  direct: Pick<DirectTurn, 'failure'> | null,
  text: string = sentenceFor(why, direct !== null),
): StatusChange {
  const [state] = ENDINGS[why];
  const metadata = direct?.failure(why);
  const outcome = UNTOLD[why];
  return {
    kind: 'status',
    state,
    parts: [{ text }],
    ...(metadata === undefined ? {} : { metadata }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

function sentenceFor(why: TurnFailure, isDirect: boolean): string {
  const [, sentence] = ENDINGS[why];
  if (!REPEATABLE.has(why)) return sentence;
  const key = isDirect ? ' and, if it has one, a new idempotency key' : '';
  return `${sentence} Send it again, with a new message id${key}.`;
}
