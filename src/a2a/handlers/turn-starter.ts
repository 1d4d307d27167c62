import type { CallTokens } from '../../invocations/commands/call-tokens.js';
import type { InvocationLedger } from '../../invocations/commands/invocation-ledger.js';
import type { Uuid } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { StoredTask, TaskChange } from '../tasks/domain/task.js';
import type { Tasks } from '../tasks/port.js';
import type { ApprovalHolds } from './approval-holds.js';
import { tokensFor } from './call-token.js';
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
  readonly tokens: CallTokens;
  /** Longest run of a handler, in milliseconds, unless its manifest says less. */
  readonly executionTimeoutMs: number;
}

/** A message that was taken in: its task, and the turn if it is under way in this process. */
export interface TakenMessage {
  readonly stored: StoredTask;
  readonly turn: Turn | null;
}

/** Ends a task that is nobody's to see: its call is another task's. */
const OF_ANOTHER: TaskChange = {
  kind: 'answer',
  parts: [{ text: 'Another message of the same idempotency key makes this call.' }],
};

/**
 * Admits turns and starts their handlers. The task is submitted already: that was the lock on the
 * message. The admission is the lock on the idempotency key, if there is one.
 */
export class TurnStarter {
  constructor(private readonly parts: StarterParts) {}

  issue(plan: PlannedCall, taskId: Uuid, messageId: string): IssuedCall {
    return this.reissue(plan, invocationIdOf(taskId, messageId, plan.direct?.byKey));
  }

  /** A call that was issued before, and waited since: its time begins now. */
  reissue(plan: PlannedCall, invocationId: Uuid): IssuedCall {
    const { manifest } = plan.grant.capability;
    const deadline = this.parts.clock() + executionTime(manifest, this.parts.executionTimeoutMs);
    return issue(plan, invocationId, deadline);
  }

  /**
   * Takes the slot over: it is free again when the turn has ended, or did not begin. Refuses with the
   * task as it is then when another message made the call of its idempotency key first.
   */
  async start(
    received: ReceivedMessage,
    call: IssuedCall,
    stored: StoredTask,
    slot: Slot,
  ): Promise<Result<TakenMessage, StoredTask>> {
    try {
      if (call.plan.grant.approvals.length > 0) {
        slot.release();
        const held = await this.parts.holds.hold(received.request, call, stored);
        if (typeof held !== 'string') return ok({ stored: held, turn: null });
        return await this.#withoutTurn(call, stored, held);
      }
      const begun = await this.admitAndRun(received, call, stored, slot);
      if (begun instanceof Turn) return ok({ stored, turn: begun });
      return await this.#withoutTurn(call, stored, begun);
    } catch (error) {
      slot.release();
      // As far as that can be recorded, nobody waits for a turn that never begins.
      await this.#end(call, stored, endingBy('not-recorded', call.plan.direct)).catch(
        () => undefined,
      );
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

  /** The task ends, and why. */
  async #withoutTurn(
    call: IssuedCall,
    stored: StoredTask,
    why: TurnFailure | 'elsewhere',
  ): Promise<Result<TakenMessage, StoredTask>> {
    const { direct } = call.plan;
    if (why === 'elsewhere' && direct !== null && direct.byKey !== null) {
      return err(await this.#end(call, stored, OF_ANOTHER));
    }
    // Under the id of its message a call was made before, of which the task knows nothing.
    const failure = why === 'elsewhere' ? 'not-recorded' : why;
    return ok({ stored: await this.#end(call, stored, endingBy(failure, direct)), turn: null });
  }

  async #end(
    { invocationId }: IssuedCall,
    { task }: StoredTask,
    end: TaskChange,
  ): Promise<StoredTask> {
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
    const { implementation, grant, routing, outputModes, message, direct, takesArguments } = plan;
    const { rule, terms, capability } = grant;
    const { manifest } = capability;
    const admitted = { invocationId, manifest, rule, terms, routing, outputModes, deadline };
    const turn = new Turn(this.parts, {
      implementation,
      call: {
        message: { ...message, taskId: stored.task.id, contextId: stored.task.contextId },
        task: stored.task,
        caller: request.caller,
        grant: admitted,
        token: tokensFor(this.parts.tokens, admitted, request.caller),
      },
      stored,
      direct,
      takesArguments,
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
