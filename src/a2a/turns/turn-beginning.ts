import type { Uuid } from '../../kernel/ids.js';
import type { ApprovalLedger, ApprovalPlace } from '../../invocations/commands/approval-ledger.js';
import type { Clock } from '../../kernel/timestamp.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { StoredTask, TaskChange, TaskChangeRefused } from '../tasks/domain/task.js';
import type { Tasks } from '../tasks/port.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { CallRate } from './call-rate.js';
import { busy, rateLimited, tooManyApprovals } from './execution-refusals.js';
import type { ReceivedMessage } from './received-message.js';
import type { RunningTurns, Slot } from './running-turns.js';
import type { AskBack, PlannedCall, TurnPlan } from './turn-plan.js';
import { invocationIdOf } from './turn-planner.js';
import type { TakenMessage, TurnStarter } from './turn-starter.js';

type Taken = Result<TakenMessage, A2aRefusal>;
type Appended = Result<StoredTask, TaskChangeRefused>;

/** How a turn begins on its task. */
export interface Begin {
  /** Of the task. */
  readonly id: Uuid;
  /** The append that is the lock. */
  append(changes: readonly TaskChange[]): Promise<Appended>;
  /** Does the task have this very turn already? */
  isHere(stored: StoredTask): boolean;
  /** The answer when it has. */
  again(stored: StoredTask): Promise<Taken>;
  /** The refusal when somebody else was first, with something else. */
  overtaken(refused: TaskChangeRefused): A2aRefusal;
}

/** What turns are begun by. */
export interface BeginningParts {
  readonly tasks: Pick<Tasks, 'load'>;
  readonly starter: TurnStarter;
  readonly turns: RunningTurns;
  readonly rate: CallRate;
  readonly approvals: Pick<ApprovalLedger, 'takePlace'>;
  readonly clock: Clock;
}

/** Calls of one agent that wait for an approval of one hosted agent's tenant, as one node lets them in. */
const MAX_UNDECIDED = 100;

/** Of what does not wait. */
const NO_PLACE: ApprovalPlace = { release: () => undefined };

/** Begins turns: within their limits, on record with their task, then started. */
export class TurnBeginning {
  /** Appends under way that begin turns here, by task. */
  readonly #appending = new Map<Uuid, Promise<Appended>>();

  constructor(private readonly parts: BeginningParts) {}

  /**
   * Refuses with Unavailable `capability-busy` and RateLimited `rate-limited`, `too-many-approvals`.
   */
  async begin(message: ReceivedMessage, plan: TurnPlan, how: Begin): Promise<Taken> {
    if (plan.kind === 'ask') {
      const asked = await how.append(askingChanges(plan));
      return asked.ok
        ? ok({ stored: asked.value, turn: null })
        : await this.#instead(asked.error, how);
    }
    const place = await this.#placeToWait(message, plan, how);
    if (place === undefined) {
      return await this.#full(plan, tooManyApprovals(plan.grant.capability), how);
    }
    try {
      return await this.#beginWithin(message, plan, how);
    } finally {
      // Of a call that waits now it is kept.
      place.release();
    }
  }

  /** Within the limits of calls. */
  async #beginWithin(message: ReceivedMessage, plan: PlannedCall, how: Begin): Promise<Taken> {
    const { grant } = plan;
    const counted = await this.parts.rate.count(grant, message.owner);
    const { retryAfterSeconds } = counted;
    if (retryAfterSeconds !== null) {
      return await this.#full(plan, rateLimited(grant.capability, retryAfterSeconds), how);
    }
    const slot = this.parts.turns.takeSlot(grant.capability.manifest, message.owner);
    if (slot === undefined) {
      counted.takeBack();
      return await this.#full(plan, busy(grant.capability), how);
    }
    const { isBegun, taken } = await this.#begin(message, plan, slot, how);
    // It was no call, but one that had been made before.
    if (!isBegun) counted.takeBack();
    return taken;
  }

  async #begin(
    message: ReceivedMessage,
    plan: PlannedCall,
    slot: Slot,
    how: Begin,
  ): Promise<{ readonly isBegun: boolean; readonly taken: Taken }> {
    const { starter } = this.parts;
    const { messageId } = message.params.message;
    const call = starter.issue(plan, how.id, messageId);
    const appending = how.append([call.routed]);
    this.#appending.set(how.id, appending);
    try {
      const appended = await appending;
      if (appended.ok) {
        const started = await starter.start(message, call, appended.value, slot);
        if (started.ok) return { isBegun: true, taken: started };
        return { isBegun: false, taken: await how.again(started.error) };
      }
      slot.release();
      return { isBegun: false, taken: await this.#instead(appended.error, how) };
    } catch (error) {
      slot.release();
      throw error;
    } finally {
      if (this.#appending.get(how.id) === appending) this.#appending.delete(how.id);
    }
  }

  /** Somebody else was first: with the very same, or with something else. */
  async #instead(refused: TaskChangeRefused, how: Begin): Promise<Taken> {
    return how.isHere(refused.task) ? await how.again(refused.task) : err(how.overtaken(refused));
  }

  /** People look at what waits: nobody shall bury it. Undefined when there is no place. */
  async #placeToWait(
    { request: { caller, agent }, params }: ReceivedMessage,
    { grant, direct }: PlannedCall,
    { id }: Begin,
  ): Promise<ApprovalPlace | undefined> {
    const calling = caller?.agent ?? null;
    if (grant.approvals.length === 0 || calling === null) return NO_PLACE;
    const { approvals, clock } = this.parts;
    const invocationId = invocationIdOf(id, params.message.messageId, direct?.byKey);
    const call = { invocationId, calling, hosted: agent.agentId };
    return await approvals.takePlace(call, MAX_UNDECIDED, clock());
  }

  /** Without a place; but the last one may have gone to the very same message. */
  async #full({ direct }: PlannedCall, refusal: A2aRefusal, how: Begin): Promise<Taken> {
    await this.#appending.get(how.id)?.catch(() => undefined);
    const stored = await this.parts.tasks.load(how.id);
    if (stored !== undefined && how.isHere(stored)) return await how.again(stored);
    return err(direct === null ? refusal : direct.refusal(refusal));
  }
}

function askingChanges({ question, routing }: AskBack): readonly TaskChange[] {
  return [
    { kind: 'routed', binding: null, routing, deadline: null },
    { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', parts: question },
  ];
}
