import { ERASED, type Erased, type Recorded } from '../../kernel/event.js';
import type { Uuid } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { GrantRule } from './authorization.js';
import type {
  InvocationCaller,
  InvocationEvent,
  PlannedInvocation,
  UsedApproval,
} from './events.js';
import type { InvocationOutcome } from './outcome.js';

/** An approval that was asked for, as far as its call's stream tells. */
export interface Approval {
  readonly requestedAt: Timestamp;
  /** From then on nothing can be approved, and what was approved cannot be used. */
  readonly expiresAt: Timestamp;
  /** What the call runs with later. */
  readonly scopes: readonly string[];
  /** The entries of the terms that ask for it. */
  readonly entries: readonly string[] | Erased;
  readonly decision: {
    readonly verdict: 'approved' | 'denied';
    readonly by: InvocationCaller;
    readonly at: Timestamp;
    readonly reason: string | null | Erased;
  } | null;
}

/** One call of a capability, as its stream `invocation-<uuid>` tells it. */
export interface Invocation {
  /** As it was admitted, or until then as it was asked for. */
  readonly call: PlannedInvocation;
  /** Null: none was asked for. */
  readonly approval: Approval | null;
  /** Null: it waits for an approval, or ended without one. */
  readonly admission: {
    readonly at: Timestamp;
    readonly rule: GrantRule;
    readonly approval: UsedApproval | null;
    readonly deadline: Timestamp;
  } | null;
  /** Null while it waits or runs, or nobody knows. */
  readonly ended: {
    readonly outcome: InvocationOutcome;
    readonly resultDigest: string | null;
    readonly at: Timestamp;
  } | null;
}

/** A call for which an approval was asked, whatever came of it. */
export type InvocationToApprove = Invocation & { readonly approval: Approval };

/** A call that was refused: its stream holds nothing else. */
export interface RefusalOnRecord {
  readonly refusal: Uuid;
}

/** Null: nothing is recorded under this id. */
export type InvocationState = Invocation | RefusalOnRecord | null;

/** Whether the stream tells of a call that may run, or ran. */
export function isInvocation(state: InvocationState): state is Invocation {
  return state !== null && 'call' in state;
}

/** What remains of it once the contract, whose entries it repeats, is erased. */
export function withoutTexts(invocation: InvocationToApprove): InvocationToApprove {
  const { approval } = invocation;
  const decision = approval.decision && { ...approval.decision, reason: ERASED };
  return { ...invocation, approval: { ...approval, entries: ERASED, decision } };
}

/** Records an event; never judges. */
export function evolveInvocation(
  state: InvocationState,
  event: Recorded<InvocationEvent>,
): InvocationState {
  const { recordedAt: at } = event;
  switch (event.type) {
    case 'approval-requested': {
      const { scopes, expiresAt, ...call } = event.data;
      const entries = event.texts === ERASED ? ERASED : event.texts.entries;
      const approval: Approval = { requestedAt: at, expiresAt, scopes, entries, decision: null };
      return { call, approval, admission: null, ended: null };
    }
    case 'approval-given':
      return decided(state, event, 'approved');
    case 'approval-denied':
      return decided(state, event, 'denied');
    case 'invocation-admitted': {
      const { rule, approval, deadline, ...call } = event.data;
      const waited = isInvocation(state) ? state.approval : null;
      return { call, approval: waited, admission: { at, rule, approval, deadline }, ended: null };
    }
    case 'invocation-ended': {
      const { outcome, resultDigest } = event.data;
      return { ...begun(state, event), ended: { outcome, resultDigest, at } };
    }
    case 'invocation-refused':
      return { refusal: event.data.invocationId };
  }
}

function decided(
  state: InvocationState,
  event: Extract<Recorded<InvocationEvent>, { type: 'approval-given' | 'approval-denied' }>,
  verdict: 'approved' | 'denied',
): Invocation {
  const invocation = begun(state, event);
  const { approval } = invocation;
  if (approval === null) throw new Error(`${event.type} before approval-requested`);
  const reason = event.texts === ERASED ? ERASED : event.texts.reason;
  const decision: Approval['decision'] = {
    verdict,
    by: event.data.by,
    at: event.recordedAt,
    reason,
  };
  return { ...invocation, approval: { ...approval, decision } };
}

function begun(state: InvocationState, { type }: { readonly type: string }): Invocation {
  if (!isInvocation(state)) throw new Error(`${type} of what was neither asked for nor admitted`);
  return state;
}
