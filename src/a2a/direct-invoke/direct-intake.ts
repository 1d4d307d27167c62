import type { ApprovalLedger } from '../../invocations/commands/approval-ledger.js';
import type { Uuid } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import {
  keyReused,
  keySpent,
  messageIdReused,
  messageIdSpent,
} from '../turns/execution-refusals.js';
import type { ReceivedMessage } from '../turns/received-message.js';
import { submission } from '../turns/task-submission.js';
import type { TurnBeginning } from '../turns/turn-beginning.js';
import type { DirectTurn, PlannedDirectCall } from '../turns/turn-plan.js';
import type { TakenMessage } from '../turns/turn-starter.js';
import { webhookRefusal } from '../turns/webhook-of-message.js';
import { owns } from '../tasks/domain/owner.js';
import { isOfNoCall } from '../tasks/domain/task-fold.js';
import type { StoredTask } from '../tasks/domain/task.js';
import type { PushConfigs, Tasks } from '../tasks/port.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { DirectCall } from './direct-call.js';
import type { DirectPlanner } from './direct-planner.js';

/** What direct invokes are taken in by. */
export interface DirectIntakeParts {
  readonly tasks: Tasks;
  readonly pushConfigs: Pick<PushConfigs, 'check'>;
  readonly directPlanner: Pick<DirectPlanner, 'plan'>;
  readonly approvals: Pick<ApprovalLedger, 'find'>;
  readonly beginning: TurnBeginning;
}

type Taken = Result<TakenMessage, A2aRefusal>;

/**
 * Takes direct invokes in, each once by its message id and once by its idempotency key. The task has
 * the id of the message, its first append is the lock on that; the invocation has the id of the key,
 * and its first append is the lock on this. What runs has both.
 */
export class DirectIntake {
  /** Calls of a key that are being begun here: others of the key wait, and cost nothing. */
  readonly #beginning = new Map<Uuid, Promise<Taken>>();

  constructor(private readonly parts: DirectIntakeParts) {}

  /**
   * Planned, and so authorized anew, before it is looked for: answers of then tell nobody else
   * anything. Refuses in the codes of the extension.
   */
  async take(message: ReceivedMessage, call: DirectCall): Promise<Taken> {
    const { tasks, directPlanner } = this.parts;
    const { request, owner, params } = message;
    const id = tasks.idFor(owner, request.agent.agentId, params.message.messageId);
    const planned = await directPlanner.plan(message, call, id);
    if (!planned.ok) return planned;
    const plan = planned.value;
    const known = owner.kind === 'principal' ? await tasks.load(id) : undefined;
    if (known !== undefined) return await this.#again(message, plan.direct, known);
    const { byKey } = plan.direct;
    return byKey === null
      ? await this.#begin(message, plan, id)
      : await this.#beginByKey(message, plan, id, byKey);
  }

  /** One of a key at a time: those that came second here need no task that is given up again. */
  async #beginByKey(
    message: ReceivedMessage,
    plan: PlannedDirectCall,
    id: Uuid,
    byKey: Uuid,
  ): Promise<Taken> {
    const earlier = this.#beginning.get(byKey);
    if (earlier !== undefined) {
      await earlier.catch(() => undefined);
      const made = await this.#madeBefore(message, plan.direct, byKey);
      return await (made ?? this.#beginByKey(message, plan, id, byKey));
    }
    const begin = async (): Promise<Taken> =>
      await ((await this.#madeBefore(message, plan.direct, byKey)) ??
        this.#begin(message, plan, id));
    const beginning = begin();
    this.#beginning.set(byKey, beginning);
    try {
      return await beginning;
    } finally {
      this.#beginning.delete(byKey);
    }
  }

  async #begin(message: ReceivedMessage, plan: PlannedDirectCall, id: Uuid): Promise<Taken> {
    const { tasks, pushConfigs, beginning } = this.parts;
    const { params } = message;
    const { direct } = plan;
    if (direct.refusedLast !== null) return err(direct.refusedLast);
    const refused = await webhookRefusal(params, pushConfigs);
    if (refused !== undefined) return err(refused);
    return await beginning.begin(message, plan, {
      isHere: ({ messages }) => messages.has(params.message.messageId),
      again: async (stored) => await this.#again(message, direct, stored),
      ...submission(tasks, message, id),
    });
  }

  /** The message was here before: was it the same call? */
  async #again(message: ReceivedMessage, direct: DirectTurn, stored: StoredTask): Promise<Taken> {
    const { byKey } = direct;
    if (byKey === null || stored.binding?.invocationId !== byKey) {
      const isSame = byKey === null && isOfUnkeyed(message, stored);
      if (!isSame) return err(direct.refusal(messageIdReused()));
      if (isOfNoCall(stored)) return err(direct.refusal(messageIdSpent()));
      return ok({ stored, turn: null });
    }
    // A call that has completed was this task's. Any other may have been made for another message.
    const isOwn = stored.task.status.state === 'TASK_STATE_COMPLETED';
    const made = isOwn ? undefined : await this.#madeBefore(message, direct, byKey);
    return made ?? ofKey(message, direct, stored);
  }

  /** What came of a call of the key that is on record, for whatever message; undefined: there is none. */
  async #madeBefore(
    message: ReceivedMessage,
    direct: DirectTurn,
    byKey: Uuid,
  ): Promise<Taken | undefined> {
    const { tasks, approvals } = this.parts;
    const invocation = await approvals.find(byKey);
    if (invocation === undefined) return undefined;
    const stored = await tasks.load(invocation.call.taskId);
    // After its retention the task is gone, or has begun anew; that the call was made is known for ever.
    const isKept = stored?.binding?.invocationId === byKey && stored.answer === null;
    return isKept ? ofKey(message, direct, stored) : err(direct.refusal(keySpent()));
  }
}

/** The task of a key. A principal may speak for several agents: it is only for the one that began it. */
function ofKey({ owner }: ReceivedMessage, direct: DirectTurn, stored: StoredTask): Taken {
  const isSame = owns(owner, stored) && stored.binding?.argumentsDigest === direct.argumentsDigest;
  return isSame ? ok({ stored, turn: null }) : err(direct.refusal(keyReused()));
}

/** The very same message, which was a direct invoke then, too: without the extension it was routed. */
function isOfUnkeyed(
  { params, digest }: ReceivedMessage,
  { messages, routing }: StoredTask,
): boolean {
  const { messageId } = params.message;
  return routing?.layer === 'direct-invoke' && messages.get(messageId) === digest;
}
