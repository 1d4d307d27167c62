import type { Recorded } from '../../kernel/event.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { AdmittedInvocation, InvocationEvent } from './events.js';
import type { InvocationOutcome } from './outcome.js';

/** One call of a capability, as its stream `invocation-<uuid>` tells it. */
export interface Invocation extends AdmittedInvocation {
  readonly admittedAt: Timestamp;
  /** Null while it runs, or nobody knows. */
  readonly ended: { readonly outcome: InvocationOutcome; readonly at: Timestamp } | null;
}

/** Null: nothing was admitted under this id. */
export type InvocationState = Invocation | null;

/** Records an event; never judges. */
export function evolveInvocation(
  state: InvocationState,
  event: Recorded<InvocationEvent>,
): InvocationState {
  switch (event.type) {
    case 'invocation-admitted':
      return { ...event.data, admittedAt: event.recordedAt, ended: null };
    case 'invocation-ended':
      if (state === null) throw new Error(`${event.type} before invocation-admitted`);
      return { ...state, ended: { outcome: event.data.outcome, at: event.recordedAt } };
  }
}
