import type { InvocationLedger } from '../../invocations/commands/invocation-ledger.js';
import type { Uuid } from '../../kernel/ids.js';
import type { StoredTask } from '../tasks/domain/task.js';
import type { Tasks } from '../tasks/port.js';
import type { ApprovalHolds } from './approval-holds.js';
import { issue, type IssuedCall } from './issued-call.js';
import { executionTime } from './limits.js';
import type { ReceivedMessage } from './received-message.js';
import type { RunningTurns, Slot } from './running-turns.js';
import type { AdmissionVerdict, TurnAdmission } from './turn-admission.js';
import { endingBy } from './turn-failures.js';
import type { PlannedCall, TurnFailure } from './turn-plan.js';
import { invocationIdOf } from './turn-planner.js';
import { Turn, type TurnParts } from './turn.js';

/** What turns are admitted and started by. */
export interface StarterParts extends TurnParts {
  readonly tasks: Tasks;
  readonly ledger: InvocationLedger;
  readonly admission: TurnAdmission;
  readonly holds: ApprovalHolds;
  readonly turns: RunningTurns;
  /** Longest run of a handler, in milliseconds, unless its manifest says less. */
  readonly executionTimeoutMs: number;
}

/** A message that was taken in: its task, and the turn if it is under way in this process. */
export interface TakenMessage {
  readonly stored: StoredTask;
  readonly turn: Turn | null;
}

/** Admits turns and starts their handlers. The task is submitted already: that was the lock. */
export class TurnStarter {
  constructor(private readonly parts: StarterParts) {}

  /** @param digest of the message as it was sent */
  issue(plan: PlannedCall, taskId: Uuid, messageId: string, digest: string): IssuedCall {
    const invocationId = invocationIdOf(taskId, messageId, plan.direct?.byKey);
    return this.reissue(plan, invocationId, digest);
  }

  /** A call that was issued before, and waited since: its time begins now. */
  reissue(plan: PlannedCall, invocationId: Uuid, digest: string): IssuedCall {
    const { manifest } = plan.grant.capability;
    const deadline = this.parts.clock() + executionTime(manifest, this.parts.executionTimeoutMs);
    return issue(plan, { invocationId, digest, deadline });
  }

  /** Takes the slot over: it is free again when the turn has ended, or did not begin. */
  async start(
    received: ReceivedMessage,
    call: IssuedCall,
    stored: StoredTask,
    slot: Slot,
  ): Promise<TakenMessage> {
    try {
      if (call.plan.grant.approvals.length > 0) {
        slot.release();
        const held = await this.parts.holds.hold(received.request, call, stored);
        return { stored: held ?? (await this.#giveUp(call, stored, 'not-recorded')), turn: null };
      }
      const begun = await this.admitAndRun(received, call, stored, slot);
      if (begun instanceof Turn) return { stored, turn: begun };
      // Under this id a call has been made before, of which the task knows nothing.
      const why = begun === 'elsewhere' ? 'not-recorded' : begun;
      return { stored: await this.#giveUp(call, stored, why), turn: null };
    } catch (error) {
      slot.release();
      // As far as that can be recorded, nobody waits for a turn that never begins.
      await this.#giveUp(call, stored, 'not-recorded').catch(() => undefined);
      throw error;
    }
  }

  /**
   * Admits the call of a task that waits for nothing else. Takes the slot over.
   * @returns the turn, or why there is none
   */
  async admitAndRun(
    received: ReceivedMessage,
    call: IssuedCall,
    stored: StoredTask,
    slot: Slot,
  ): Promise<Turn | Exclude<AdmissionVerdict, 'admitted'>> {
    const verdict = await this.parts.admission.admit(received, call, stored.task.id as Uuid);
    if (verdict === 'admitted') return this.#begin(received, call, stored, slot);
    slot.release();
    return verdict;
  }

  /** The task ends without a turn. */
  async #giveUp(
    { invocationId, plan }: IssuedCall,
    { task }: StoredTask,
    why: TurnFailure,
  ): Promise<StoredTask> {
    const end = endingBy(why, plan.direct);
    const recorded = await this.parts.tasks.record(task.id as Uuid, invocationId, [end]);
    return recorded.ok ? recorded.value : recorded.error.task;
  }

  /** Hands the admitted call to its implementation. */
  #begin(
    { request }: ReceivedMessage,
    { plan, invocationId, deadline }: IssuedCall,
    stored: StoredTask,
    slot: Slot,
  ): Turn {
    const { implementation, grant, routing, outputModes, message, direct } = plan;
    const { rule, terms, capability } = grant;
    const { manifest } = capability;
    const turn = new Turn(this.parts, {
      implementation,
      call: {
        message: { ...message, taskId: stored.task.id, contextId: stored.task.contextId },
        task: stored.task,
        caller: request.caller,
        grant: { invocationId, manifest, rule, terms, routing, outputModes, deadline },
      },
      stored,
      direct,
      origin: { correlationId: request.correlationId, traceparent: request.traceparent },
    });
    slot.occupy(turn);
    this.parts.turns.inBackground(turn.closed);
    // Before anybody is answered: whoever calls again at once finds the place free.
    const release = (): void => {
      slot.release();
    };
    turn.ended.then(release, release);
    return turn;
  }
}
