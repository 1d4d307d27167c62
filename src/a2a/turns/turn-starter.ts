import type { ApprovalLedger } from '../../invocations/commands/approval-ledger.js';
import type { CallTokens } from '../../invocations/commands/call-tokens.js';
import type { InvocationLedger } from '../../invocations/commands/invocation-ledger.js';
import type { Uuid } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { StoredTask, TaskChange } from '../tasks/domain/task.js';
import type { Tasks } from '../tasks/port.js';
import type { ApprovalHolds } from './approval-holds.js';
import { tokensFor } from '../handlers/call-token.js';
import { issue, type IssuedCall } from './issued-call.js';
import { executionTime } from './limits.js';
import type { ReceivedMessage } from './received-message.js';
import type { RunningTurns, Slot } from './running-turns.js';
import type { AdmissionVerdict, TurnAdmission } from './turn-admission.js';
import { endingBy } from './turn-failures.js';
import type { DirectTurn, PlannedCall, TurnFailure } from './turn-plan.js';
import { invocationIdOf } from './turn-planner.js';
import { Turn, type TurnParts } from './turn.js';

/** What turns are admitted and started by. */
export interface StarterParts extends TurnParts {
  readonly tasks: Tasks;
  readonly ledger: InvocationLedger;
  readonly admission: TurnAdmission;
  readonly holds: ApprovalHolds;
  readonly approvals: Pick<ApprovalLedger, 'find'>;
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

/** Ends a task that is nobody's to see: its call is, or was, another task's. */
function endingUnseen(direct: DirectTurn | null): TaskChange {
  const parts = [{ text: 'The call is made by another task.' }];
  return { kind: 'answer', parts, ifShown: endingBy('made-before', direct) };
}

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
   * Takes the slot over: it is free again when the turn did not begin, or has ended and nothing of it
   * runs any more, see {@link RunningTurns}. Refuses with the
   * task as it is then when another task made the call: of another message with its idempotency key,
   * or of this one before it, which is no longer kept.
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
    const { direct, routing } = call.plan;
    const isMade = why === 'elsewhere' && (await this.#isOnRecord(call));
    if (isMade && stored.messages.size === 1) {
      const unseen = endingUnseen(direct);
      if (direct !== null && direct.byKey !== null)
        return err(await this.#end(call, stored, unseen));
      // Nor is it told from a task that answered with a message, as long as it has a call.
      const unbound = { kind: 'routed', binding: null, routing, deadline: null } as const;
      return err(await this.#end(call, stored, unbound, unseen));
    }
    const failure = isMade ? 'made-before' : why === 'elsewhere' ? 'not-recorded' : why;
    return ok({ stored: await this.#end(call, stored, endingBy(failure, direct)), turn: null });
  }

  /** That its id is taken is one thing, that it could not be written another. */
  async #isOnRecord({ invocationId }: IssuedCall): Promise<boolean> {
    return (await this.parts.approvals.find(invocationId)) !== undefined;
  }

  async #end(
    { invocationId }: IssuedCall,
    { task }: StoredTask,
    ...ends: readonly TaskChange[]
  ): Promise<StoredTask> {
    const recorded = await this.parts.tasks.record(task.id as Uuid, invocationId, ends);
    return recorded.ok ? recorded.value : recorded.error.task;
  }

  /** Hands the admitted call to its implementation. */
  #begin(
    { request }: ReceivedMessage,
    { plan, invocationId, deadline, routed }: IssuedCall,
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
    // The task says until when it may run.
    slot.occupy(turn, routed.deadline ?? deadline);
    this.parts.turns.inBackground(turn.closed);
    return turn;
  }
}
