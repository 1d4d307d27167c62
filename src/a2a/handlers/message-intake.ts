import type { A2aConfig } from '../../config/hosted-agents.js';
import type { ApprovalLedger } from '../../invocations/commands/approval-ledger.js';
import type { SkillId, Uuid } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { DirectCall } from '../direct-invoke/direct-call.js';
import { readDirectCall } from '../direct-invoke/read-direct-call.js';
import { ownerOf } from '../tasks/owner-of.js';
import { owns } from '../tasks/domain/owner.js';
import { isHeld, isRunning } from '../tasks/domain/task-fold.js';
import type { StoredTask, TaskChangeRefused } from '../tasks/domain/task.js';
import { tooManyPushConfigs } from '../tasks/domain/refusals.js';
import type { PushConfigs, Tasks } from '../tasks/port.js';
import type { A2aRefusal } from '../wire/refusal.js';
import { isTerminal, type SendMessageRequest } from '../wire/types.js';
import type { A2aRequest } from './agent-operations.js';
import { readContractClaim } from './contract-claim.js';
import {
  approvalPending,
  contextMismatch,
  keyReused,
  keySpent,
  messageIdReused,
  taskEnded,
  taskFull,
  turnUnderWay,
} from './execution-refusals.js';
import { received, type ReceivedMessage } from './received-message.js';
import type { Begin, TurnBeginning } from './turn-beginning.js';
import type { PlannedCall } from './turn-plan.js';
import type { TurnPlanner } from './turn-planner.js';
import type { TakenMessage } from './turn-starter.js';
import { webhookRefusal } from './webhook-of-message.js';

/** Plans direct invokes: `DirectPlanner`. */
export interface PlansDirectCalls {
  plan(
    received: ReceivedMessage,
    call: DirectCall,
    taskId: Uuid,
  ): Promise<Result<PlannedCall, A2aRefusal>>;
}

export interface IntakeParts {
  readonly tasks: Tasks;
  readonly pushConfigs: Pick<PushConfigs, 'check'>;
  readonly planner: TurnPlanner;
  readonly directPlanner: PlansDirectCalls;
  readonly approvals: Pick<ApprovalLedger, 'find'>;
  readonly beginning: TurnBeginning;
  /** How tasks of callers without a token are shared. */
  readonly anonymous: A2aConfig['anonymous'];
  readonly trustExtensionUri: string;
  /** Null: not served. */
  readonly directInvokeExtensionUri: string | null;
}

type Taken = Result<TakenMessage, A2aRefusal>;

/**
 * Takes messages in, each once: a message id that was here before gives the task of then. Nothing is
 * recorded of what is refused, but that a party of a contract was.
 */
export class MessageIntake {
  constructor(private readonly parts: IntakeParts) {}

  /**
   * Refuses with TaskNotFound, ContentTypeNotSupported, and: InvalidParams `contract-claim-invalid`,
   * `message-id-reused`, `context-mismatch`, `message-too-large`, `too-many-parts`,
   * `too-many-push-configs`, and what else is wrong with a webhook;
   * UnsupportedOperation `task-ended`, `task-full`, `turn-under-way`, `approval-pending`,
   * `skill-removed`, `capability-unavailable`, `handler-absent`, `token-required` and the codes of
   * `authorize`; Unavailable `capability-busy`; RateLimited `rate-limited`. A direct invoke with the
   * codes of its extension.
   */
  async take(request: A2aRequest, params: SendMessageRequest): Promise<Taken> {
    const { trustExtensionUri, directInvokeExtensionUri, anonymous } = this.parts;
    const contract = readContractClaim(params, trustExtensionUri);
    if (!contract.ok) return contract;
    const direct = readDirectCall(request, params, directInvokeExtensionUri);
    if (!direct.ok) return direct;
    const owner = ownerOf(request.caller, anonymous);
    const message = received(request, owner, params, contract.value);
    if (direct.value !== null) return this.#direct(message, direct.value);
    const { taskId } = params.message;
    return taskId === undefined ? this.#first(message) : this.#further(message, taskId);
  }

  async #first(message: ReceivedMessage): Promise<Taken> {
    const { tasks, pushConfigs, planner, beginning } = this.parts;
    const { request, owner, params } = message;
    const id = tasks.idFor(owner, request.agent.agentId, params.message.messageId);
    // Looked up before anything is decided: what was accepted once is not judged by today's routing.
    const known = owner.kind === 'principal' ? await tasks.load(id) : undefined;
    if (known !== undefined) return this.#again(message, known);
    const refused = await webhookRefusal(params, pushConfigs);
    if (refused !== undefined) return err(refused);
    const plan = await planner.first(message, id);
    if (!plan.ok) return plan;
    return beginning.begin(message, plan.value, this.#submitting(message, id));
  }

  /** Planned, and so authorized anew, before it is looked for: its answers tell nobody else anything. */
  async #direct(message: ReceivedMessage, call: DirectCall): Promise<Taken> {
    const { tasks, pushConfigs, directPlanner, approvals, beginning } = this.parts;
    const { request, owner, params } = message;
    const ownId = tasks.idFor(owner, request.agent.agentId, params.message.messageId);
    const plan = await directPlanner.plan(message, call, ownId);
    if (!plan.ok) return plan;
    const { direct } = plan.value;
    if (direct === null) throw new TypeError('a direct invoke was planned as something else');
    const { byKey, argumentsDigest, unbound } = direct;
    const id = byKey?.taskId ?? ownId;
    const again = async (stored: StoredTask): Promise<Taken> => {
      const isSame =
        byKey === null
          ? stored.messages.get(params.message.messageId) === message.digest
          : // A principal may speak for several agents: the task is only for the one that began it.
            owns(owner, stored) && stored.binding?.argumentsDigest === argumentsDigest;
      if (isSame) return ok({ stored, turn: null });
      return err(direct.refusal(byKey === null ? messageIdReused() : keyReused()));
    };
    const known = owner.kind === 'principal' ? await tasks.load(id) : undefined;
    if (known !== undefined) return again(known);
    // The task is gone after its retention; that the call was made is known for ever.
    if (byKey !== null && (await approvals.find(byKey.invocationId)) !== undefined) {
      return err(direct.refusal(keySpent()));
    }
    if (unbound !== null) return err(unbound);
    const refused = await webhookRefusal(params, pushConfigs);
    if (refused !== undefined) return err(refused);
    const begin = this.#submitting(message, id);
    return beginning.begin(message, plan.value, {
      ...begin,
      again,
      isHere: (stored) => byKey !== null || begin.isHere(stored),
    });
  }

  /** The append that begins a task of this id. */
  #submitting(message: ReceivedMessage, id: Uuid): Begin {
    const { tasks } = this.parts;
    const { request, owner, params, digest } = message;
    const { agentId } = request.agent;
    const webhook = params.configuration?.taskPushNotificationConfig;
    const pushConfig = webhook === undefined ? {} : { pushConfig: webhook };
    return {
      ...this.#knownBy(message, id),
      append: async (changes) => {
        const task = { agentId, owner, message: params.message, digest, changes, ...pushConfig };
        const { known, stored } = await tasks.submit(id, task);
        return known ? err({ kind: 'moved-on', task: stored }) : ok(stored);
      },
    };
  }

  async #further(message: ReceivedMessage, taskId: string): Promise<Taken> {
    const { tasks, pushConfigs, planner, beginning } = this.parts;
    const { request, owner, params, digest } = message;
    const found = await tasks.find(owner, request.agent.agentId, taskId);
    if (!found.ok) return found;
    const stored = found.value;
    const { contextId, messageId } = params.message;
    if (contextId !== undefined && contextId !== stored.task.contextId) {
      return err(contextMismatch());
    }
    if (stored.messages.has(messageId)) return this.#again(message, stored);
    if (await this.#beganAnother(message)) return err(messageIdReused());
    if (isTerminal(stored.task.status.state)) return err(taskEnded(taskId));
    if (isHeld(stored)) return err(approvalPending(taskId));
    if (isRunning(stored)) return err(turnUnderWay(taskId));
    const refused = await webhookRefusal(params, pushConfigs);
    if (refused !== undefined) return err(refused);
    const plan = await planner.further(message, stored);
    if (!plan.ok) return plan;
    const id = stored.task.id as Uuid;
    const webhook = params.configuration?.taskPushNotificationConfig;
    const pushConfig = webhook === undefined ? {} : { pushConfig: webhook };
    return beginning.begin(message, plan.value, {
      ...this.#knownBy(message, id),
      append: async (changes) => {
        const turn = { message: params.message, digest, changes, ...pushConfig };
        return tasks.continue(id, stored.revision, turn);
      },
    });
  }

  /** How a message is known that begins a turn of a task. */
  #knownBy(message: ReceivedMessage, id: Uuid): Omit<Begin, 'append'> {
    const { messageId } = message.params.message;
    return {
      id,
      isHere: (stored) => stored.messages.has(messageId),
      again: async (stored) => this.#again(message, stored),
      overtaken: overtakenBy,
    };
  }

  /** Was the id of the message used to begin a task? That was another message: this one names its task. */
  async #beganAnother({ request, owner, params }: ReceivedMessage): Promise<boolean> {
    if (owner.kind !== 'principal') return false;
    const { tasks } = this.parts;
    const id = tasks.idFor(owner, request.agent.agentId, params.message.messageId);
    return (await tasks.load(id)) !== undefined;
  }

  /** The task of a message that was here before, if it is the same and its sender may still. */
  async #again(message: ReceivedMessage, stored: StoredTask): Promise<Taken> {
    const { messageId } = message.params.message;
    if (stored.messages.get(messageId) !== message.digest) return err(messageIdReused());
    const isBound = stored.binding !== null;
    for (const skillId of skillsOf(stored)) {
      const refusal = await this.parts.planner.recheck(message, skillId, isBound);
      if (refusal !== undefined) return err(refusal);
    }
    return ok({ stored, turn: null });
  }
}

function overtakenBy({ kind, task }: TaskChangeRefused): A2aRefusal {
  const { id } = task.task;
  switch (kind) {
    case 'terminal':
      return taskEnded(id);
    case 'moved-on':
      return turnUnderWay(id);
    case 'full':
      return taskFull(id);
    case 'too-many-push-configs':
      return tooManyPushConfigs();
  }
}

/** What an answer to the message would name: the skill that ran, or those that a question was about. */
function skillsOf({ binding, routing }: StoredTask): ReadonlySet<SkillId> {
  if (binding !== null) return new Set([binding.skillId]);
  const candidates = routing?.candidates.map(({ skillId }) => skillId) ?? [];
  return new Set([...candidates, ...(routing?.considered?.skillIds ?? [])]);
}
