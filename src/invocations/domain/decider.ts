import type { Decider } from '../../kernel/event.js';
import type { Uuid } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import {
  approvalFor,
  decideApproval,
  isToApprove,
  type Decide,
  type DecisionContext,
} from './approving.js';
import type {
  AdmittedInvocation,
  InvocationEnded,
  InvocationEvent,
  RefusedInvocation,
  RequestedApproval,
} from './events.js';
import { evolveInvocation, isInvocation, type InvocationState } from './invocation.js';
import type { InvocationOutcome } from './outcome.js';

export type InvocationCommand =
  | {
      readonly kind: 'request';
      readonly requested: RequestedApproval;
      readonly entries: readonly string[];
    }
  | Decide
  | { readonly kind: 'admit'; readonly invocation: Omit<AdmittedInvocation, 'approval'> }
  /** Said by whoever ran it, or knows how it ended. */
  | {
      readonly kind: 'end';
      readonly invocationId: Uuid;
      readonly outcome: InvocationOutcome;
      readonly resultDigest: string | null;
    }
  /** Said by whoever finds it open: nobody seems to run it any more, and nothing tells of its end. */
  | { readonly kind: 'give-up'; readonly invocationId: Uuid }
  | { readonly kind: 'refuse'; readonly refused: RefusedInvocation };

export interface InvocationContext {
  /** The moment at which the events will be recorded: max(clock, the stream's last event). */
  readonly now: Timestamp;
  /** What decisions on approvals alone ask for; null: it was not looked at. */
  readonly deciding: Omit<DecisionContext, 'now'> | null;
}

type Decision = Result<readonly InvocationEvent[], Rejection>;
type Of<Kind extends InvocationCommand['kind']> = Extract<InvocationCommand, { kind: Kind }>;

/** Under an id that is taken nothing begins (`contention`): whoever comes second does not run it. */
function decide(
  state: InvocationState,
  command: InvocationCommand,
  context: InvocationContext,
): Decision {
  switch (command.kind) {
    case 'request': {
      const { requested, entries } = command;
      if (state !== null) return err({ code: 'contention' });
      return ok([{ type: 'approval-requested', data: requested, texts: { entries } }]);
    }
    case 'refuse':
      if (state !== null) return err({ code: 'contention' });
      return ok([{ type: 'invocation-refused', data: command.refused, texts: null }]);
    case 'decide':
      if (!isInvocation(state) || !isToApprove(state)) return err({ code: 'approval-not-found' });
      if (context.deciding === null) throw new Error('a decision is judged by who is involved');
      return decideApproval(state, command, { now: context.now, ...context.deciding });
    case 'admit':
      return admit(state, command, context);
    case 'end':
      return end(state, command);
    case 'give-up':
      return giveUp(state, command, context);
  }
}

/**
 * A call is admitted once, be it by another node or the same one again, or of another task that has
 * the same idempotency key. One that waited for an approval must have it (`approval-required`), which
 * is thereby used up.
 */
function admit(
  state: InvocationState,
  { invocation }: Of<'admit'>,
  { now }: InvocationContext,
): Decision {
  if (state === null) return admitted({ approval: null, ...invocation });
  const waits = isInvocation(state) && state.admission === null && state.ended === null;
  if (!waits || !isToApprove(state) || state.call.taskId !== invocation.taskId) {
    return err({ code: 'contention' });
  }
  const approval = approvalFor(invocation, state, now);
  if (approval === undefined) return err({ code: 'approval-required' });
  return admitted({ approval, ...invocation });
}

function admitted(data: AdmittedInvocation): Decision {
  return ok([{ type: 'invocation-admitted', data, texts: null }]);
}

/**
 * The first outcome stands. What was never admitted did nothing: that is known
 * (`invocation-not-found` for an unknown outcome).
 */
function end(state: InvocationState, { invocationId, outcome, resultDigest }: Of<'end'>): Decision {
  if (!isInvocation(state)) return err({ code: 'invocation-not-found' });
  const { admission, ended } = state;
  if (ended !== null) return ok([]);
  if (outcome === 'outcome-unknown' && admission === null) {
    return err({ code: 'invocation-not-found' });
  }
  return endedWith({ invocationId, outcome, resultDigest });
}

/**
 * Only once the deadline of an admission has passed (`invocation-not-overdue`): until then somebody
 * may be running the call, who alone may say earlier that its outcome is unknown.
 */
function giveUp(
  state: InvocationState,
  { invocationId }: Of<'give-up'>,
  { now }: InvocationContext,
): Decision {
  if (!isInvocation(state)) return err({ code: 'invocation-not-found' });
  const { admission, ended } = state;
  if (ended !== null) return ok([]);
  const isOverdue = admission !== null && isBefore(admission.deadline, now);
  if (!isOverdue) return err({ code: 'invocation-not-overdue' });
  return endedWith({ invocationId, outcome: 'outcome-unknown', resultDigest: null });
}

function endedWith(data: InvocationEnded['data']): Decision {
  return ok([{ type: 'invocation-ended', data, texts: null }]);
}

/** The rules of one call's life: perhaps approved, then admitted, then ended; or refused. */
export const invocationDecider: Decider<
  InvocationState,
  InvocationCommand,
  InvocationEvent,
  InvocationContext
> = { initial: null, evolve: evolveInvocation, decide };
