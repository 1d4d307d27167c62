import type { ApprovalLedger } from '../../invocations/commands/approval-ledger.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { keyReused, keySpent, messageIdReused } from '../handlers/execution-refusals.js';
import type { ReceivedMessage } from '../handlers/received-message.js';
import { submission } from '../handlers/task-submission.js';
import type { TurnBeginning } from '../handlers/turn-beginning.js';
import type { DirectTurn } from '../handlers/turn-plan.js';
import type { TakenMessage } from '../handlers/turn-starter.js';
import { webhookRefusal } from '../handlers/webhook-of-message.js';
import { owns } from '../tasks/domain/owner.js';
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

/** Takes direct invokes in, each once by its idempotency key, without one by its message id. */
export class DirectIntake {
  constructor(private readonly parts: DirectIntakeParts) {}

  /**
   * Planned, and so authorized anew, before it is looked for: answers of then tell nobody else
   * anything. Refuses in the codes of the extension.
   */
  async take(
    message: ReceivedMessage,
    call: DirectCall,
  ): Promise<Result<TakenMessage, A2aRefusal>> {
    const { tasks, pushConfigs, directPlanner, approvals, beginning } = this.parts;
    const { request, owner, params } = message;
    const ownId = tasks.idFor(owner, request.agent.agentId, params.message.messageId);
    const plan = await directPlanner.plan(message, call, ownId);
    if (!plan.ok) return plan;
    const { direct } = plan.value;
    const { byKey, refusedLast } = direct;
    const id = byKey?.taskId ?? ownId;
    const known = owner.kind === 'principal' ? await tasks.load(id) : undefined;
    if (known !== undefined) return again(message, direct, known);
    // The task is gone after its retention; that the call was made is known for ever.
    if (byKey !== null && (await approvals.find(byKey.invocationId)) !== undefined) {
      return err(direct.refusal(keySpent()));
    }
    if (refusedLast !== null) return err(refusedLast);
    const refused = await webhookRefusal(params, pushConfigs);
    if (refused !== undefined) return err(refused);
    return beginning.begin(message, plan.value, {
      ...submission(tasks, message, id),
      isHere: ({ messages }) => byKey !== null || messages.has(params.message.messageId),
      again: async (stored) => again(message, direct, stored),
    });
  }
}

/** The task of a call that was here before, if it is the same call. */
function again(
  { owner, params, digest }: ReceivedMessage,
  direct: DirectTurn,
  stored: StoredTask,
): Result<TakenMessage, A2aRefusal> {
  const { byKey, argumentsDigest } = direct;
  const isSame =
    byKey === null
      ? stored.messages.get(params.message.messageId) === digest
      : // A principal may speak for several agents: the task is only for the one that began it.
        owns(owner, stored) && stored.binding?.argumentsDigest === argumentsDigest;
  if (isSame) return ok({ stored, turn: null });
  return err(direct.refusal(byKey === null ? messageIdReused() : keyReused()));
}
