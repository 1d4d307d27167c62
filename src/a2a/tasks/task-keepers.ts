import type { InvocationLedger } from '../../invocations/commands/invocation-ledger.js';
import type { Reporter } from '../../kernel/reporter.js';
import type { Clock } from '../../kernel/timestamp.js';
import type { OnHoldCanceled } from './durable-tasks.js';
import { InvocationRecovery } from './invocation-recovery.js';
import type { Keeper } from './keeping.js';
import { Recurring } from './recurring.js';
import type { OnLostTurn, TaskRecovery } from './task-recovery.js';
import type { TaskStreams } from './task-streams.js';
import type { TaskSweeper } from './task-sweeper.js';

const RECOVERY_PAUSE_MS = 5_000;
const SWEEP_PAUSE_MS = 60_000;

/** The record of the turns' calls. */
export type TurnLedger = Pick<InvocationLedger, 'overdue' | 'end' | 'giveUp'>;

/** What tasks are kept by. */
export interface TaskKeeperParts {
  readonly recovery: TaskRecovery;
  readonly streams: TaskStreams;
  readonly sweeper: TaskSweeper;
  readonly clock: Clock;
  readonly report: Reporter;
}

/** What ends lost turns and their invocations, and deletes what was kept long enough. */
export function taskKeepers(
  { recovery, streams, sweeper, clock, report }: TaskKeeperParts,
  ledger: TurnLedger,
): readonly Keeper[] {
  const invocations = new InvocationRecovery(ledger, streams, clock, report);
  return [
    new Recurring(
      'the recovery of tasks',
      (signal) => recovery.recover(endingIn(ledger), signal),
      RECOVERY_PAUSE_MS,
      report,
    ),
    new Recurring(
      'the recovery of invocations',
      (signal) => invocations.recover(signal),
      RECOVERY_PAUSE_MS,
      report,
    ),
    new Recurring(
      'the deletion of tasks',
      (signal) => sweeper.sweep(signal),
      SWEEP_PAUSE_MS,
      report,
    ),
  ];
}

/** A turn that is lost ends its invocation first: so that nobody finds the one without the other. */
function endingIn(ledger: TurnLedger): OnLostTurn {
  return async ({ binding }) => {
    if (binding === null) return;
    const { invocationId } = binding;
    const origin = { correlationId: invocationId, traceparent: null };
    await ledger.giveUp(invocationId, origin);
  };
}

/**
 * What was canceled needs no approval any more: nobody is asked for it. Should the process die before
 * that is on record, the next decision on it, or its expiry, puts it there.
 */
export function voidingIn(ledger: TurnLedger, report: Reporter): OnHoldCanceled {
  return (invocationId) => {
    const origin = { correlationId: invocationId, traceparent: null };
    ledger.end(invocationId, 'canceled', origin).catch((error: unknown) => {
      report('the approval of a canceled call could not be voided', { invocationId, error });
    });
  };
}
