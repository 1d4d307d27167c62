import type { Decider } from '../../kernel/event.js';
import type { Uuid } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import type { AdmittedInvocation, InvocationEvent } from './events.js';
import { evolveInvocation, type InvocationState } from './invocation.js';
import type { InvocationOutcome } from './outcome.js';

export type InvocationCommand =
  | { readonly kind: 'admit'; readonly invocation: AdmittedInvocation }
  | { readonly kind: 'end'; readonly invocationId: Uuid; readonly outcome: InvocationOutcome };

export interface InvocationContext {
  /** The moment at which the events will be recorded: max(clock, the stream's last event). */
  readonly now: Timestamp;
}

/**
 * A call is admitted once: whoever comes second, be it another node or the same one again, does not
 * run it (`contention`). Its first outcome stands. That nobody knows the outcome is said only once
 * the deadline has passed (`invocation-not-overdue`), when nobody runs it any more.
 */
function decide(
  state: InvocationState,
  command: InvocationCommand,
  { now }: InvocationContext,
): Result<readonly InvocationEvent[], Rejection> {
  if (command.kind === 'admit') {
    if (state !== null) return err({ code: 'contention' });
    return ok([{ type: 'invocation-admitted', data: command.invocation, texts: null }]);
  }
  const { invocationId, outcome } = command;
  if (state === null) return err({ code: 'invocation-not-found' });
  if (state.ended !== null) return ok([]);
  if (outcome === 'outcome-unknown' && !isBefore(state.deadline, now)) {
    return err({ code: 'invocation-not-overdue' });
  }
  return ok([{ type: 'invocation-ended', data: { invocationId, outcome }, texts: null }]);
}

/** The rules of one call's life: admitted, then ended. */
export const invocationDecider: Decider<
  InvocationState,
  InvocationCommand,
  InvocationEvent,
  InvocationContext
> = { initial: null, evolve: evolveInvocation, decide };
