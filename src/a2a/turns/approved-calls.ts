import type {
  InvocationLedger,
  InvocationOutcome,
} from '../../invocations/commands/invocation-ledger.js';
import type { InvocationToApprove } from '../../invocations/domain/invocation.js';
import type { Uuid } from '../../kernel/ids.js';
import type { Result } from '../../kernel/result.js';
import type { Clock } from '../../kernel/timestamp.js';
import { isHeld } from '../tasks/domain/task-fold.js';
import type { StoredTask, TaskChange, TaskChangeRefused } from '../tasks/domain/task.js';
import type { Tasks } from '../tasks/port.js';
import { withinTask, type IssuedCall } from './issued-call.js';
import type { HeldCalls, ReplannedCall } from './held-calls.js';
import type { RunningTurns } from './running-turns.js';
import { endingBy } from './turn-failures.js';
import type { TurnFailure } from './turn-plan.js';
import type { TurnStarter } from './turn-starter.js';
import { Turn } from './turn.js';

/** What approved calls are run or ended by. */
export interface ApprovedCallsParts {
  readonly tasks: Pick<Tasks, 'release' | 'record'>;
  readonly ledger: Pick<InvocationLedger, 'end'>;
  readonly held: HeldCalls;
  readonly starter: Pick<TurnStarter, 'reissue' | 'admitAndRun'>;
  readonly turns: Pick<RunningTurns, 'takeSlot'>;
  readonly trustExtensionUri: string;
  readonly clock: Clock;
}

/** How a call ended that was never admitted. */
const OUTCOMES: Partial<Record<TurnFailure, InvocationOutcome>> = {
  'approval-void': 'voided',
  voided: 'voided',
  'not-recorded': 'failed',
};

/**
 * What becomes of a call once its approval came out. The task goes first, then the ledger: whoever
 * dies in between leaves a call that is taken up again, and found to be this far.
 */
export class ApprovedCalls {
  constructor(private readonly parts: ApprovedCallsParts) {}

  /** Ends a call that was not approved, or may not be made any more. */
  async refuse(
    stored: StoredTask,
    { call: { invocationId } }: InvocationToApprove,
    why: TurnFailure,
  ): Promise<void> {
    const { ledger, held, trustExtensionUri } = this.parts;
    const end = endingBy(why, held.direct(stored));
    const said = { [trustExtensionUri]: { code: why, approval: { invocationId } } };
    const metadata = { ...end.metadata, ...said };
    const ended = await this.#end(stored, invocationId, { ...end, metadata });
    // Somebody else was first, or will be: the next look tells.
    if (!ended.ok) return;
    const origin = { correlationId: invocationId, traceparent: null };
    await ledger.end(invocationId, OUTCOMES[why] ?? 'rejected', origin);
  }

  /** Runs an approved call, authorized anew under the terms of then; or ends it, or leaves it to later. */
  async run(stored: StoredTask, invocation: InvocationToApprove): Promise<void> {
    const planned = await this.parts.held.plan(stored, invocation);
    if (planned.ok) await this.#run(stored, invocation, planned.value);
    else if (planned.error === 'void') await this.refuse(stored, invocation, 'approval-void');
  }

  async #run(
    stored: StoredTask,
    invocation: InvocationToApprove,
    { received, plan }: ReplannedCall,
  ): Promise<void> {
    const { starter, turns, clock } = this.parts;
    const { invocationId } = invocation.call;
    const slot = turns.takeSlot(plan.grant.capability.manifest, stored.owner);
    if (slot === undefined) return;
    try {
      const call = starter.reissue(plan, invocationId);
      const going = await this.#goOn(stored, call);
      const reissued = going && withinTask(call, going);
      if (going === undefined || reissued === undefined || reissued.deadline <= clock()) {
        slot.release();
        return;
      }
      const begun = await starter.admitAndRun(received, reissued, going, slot);
      // The caller has seen the task: no message comes instead of it.
      if (begun instanceof Turn) begun.show();
      else if (begun !== 'elsewhere') await this.refuse(going, invocation, begun);
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  /**
   * The task as it goes on; undefined when another node was first. If one was and died before the
   * call was on record, it goes on already.
   */
  async #goOn(stored: StoredTask, call: IssuedCall): Promise<StoredTask | undefined> {
    if (!isHeld(stored)) return stored;
    const { invocationId, plan, routed } = call;
    // A direct invoke says nothing of its work.
    const state = plan.direct === null ? 'TASK_STATE_WORKING' : 'TASK_STATE_SUBMITTED';
    // The approval is used up: whoever looks for one that waits finds none.
    const metadata = { [this.parts.trustExtensionUri]: {} };
    const changes: readonly TaskChange[] = [routed, { kind: 'status', state, metadata }];
    const released = await this.parts.tasks.release(idOf(stored), invocationId, changes);
    return released.ok ? released.value : undefined;
  }

  async #end(
    stored: StoredTask,
    invocationId: Uuid,
    end: TaskChange,
  ): Promise<Result<StoredTask, TaskChangeRefused>> {
    const { tasks } = this.parts;
    return isHeld(stored)
      ? await tasks.release(idOf(stored), invocationId, [end])
      : await tasks.record(idOf(stored), invocationId, [end]);
  }
}

function idOf({ task }: StoredTask): Uuid {
  return task.id as Uuid;
}
