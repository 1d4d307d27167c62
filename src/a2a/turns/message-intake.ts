import type { A2aConfig } from '../../config/hosted-agents.js';
import type { SkillId, Uuid } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { DirectIntake } from '../direct-invoke/direct-intake.js';
import { readDirectCall } from '../direct-invoke/read-direct-call.js';
import { ownerOf } from '../tasks/owner-of.js';
import { isHeld, isOfNoCall, isRunning } from '../tasks/domain/task-fold.js';
import type { StoredTask } from '../tasks/domain/task.js';
import type { PushConfigs, Tasks } from '../tasks/port.js';
import type { A2aRefusal } from '../wire/refusal.js';
import { isTerminal, type SendMessageRequest } from '../wire/types.js';
import type { A2aRequest } from './agent-operations.js';
import { readContractClaim } from './contract-claim.js';
import {
  approvalPending,
  contextMismatch,
  messageIdReused,
  messageIdSpent,
  taskEnded,
  turnUnderWay,
} from './execution-refusals.js';
import { received, type ReceivedMessage } from './received-message.js';
import { overtakenBy, pushConfigOf, submission } from './task-submission.js';
import type { Begin, TurnBeginning } from './turn-beginning.js';
import type { TurnPlanner } from './turn-planner.js';
import type { TakenMessage } from './turn-starter.js';
import { webhookRefusal } from './webhook-of-message.js';

/** What messages are taken in by. */
export interface IntakeParts {
  readonly tasks: Tasks;
  readonly pushConfigs: Pick<PushConfigs, 'check'>;
  readonly planner: TurnPlanner;
  readonly directIntake: Pick<DirectIntake, 'take'>;
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
   * `message-id-reused`, `message-id-spent`, `context-mismatch`, `message-too-large`,
   * `too-many-parts`, `data-unfit`, `too-many-push-configs`, and what else is wrong with a webhook;
   * UnsupportedOperation `task-ended`, `task-full`, `turn-under-way`, `approval-pending`,
   * `skill-removed`, `capability-unavailable`, `handler-absent`, `token-required` and the codes of
   * `authorize`; Unavailable `capability-busy`; RateLimited `rate-limited` and `too-many-approvals`. A
   * direct invoke with the codes of its extension.
   */
  async take(request: A2aRequest, params: SendMessageRequest): Promise<Taken> {
    const { trustExtensionUri, directInvokeExtensionUri, anonymous, directIntake } = this.parts;
    const contract = readContractClaim(params, trustExtensionUri);
    if (!contract.ok) return contract;
    const direct = readDirectCall(request, params, directInvokeExtensionUri);
    if (!direct.ok) return direct;
    const owner = ownerOf(request.caller, anonymous);
    const message = received(request, owner, params, contract.value);
    if (direct.value !== null) return await directIntake.take(message, direct.value);
    const { taskId } = params.message;
    return taskId === undefined ? await this.#first(message) : await this.#further(message, taskId);
  }

  async #first(message: ReceivedMessage): Promise<Taken> {
    const { tasks, pushConfigs, planner, beginning } = this.parts;
    const { request, owner, params } = message;
    const id = tasks.idFor(owner, request.agent.agentId, params.message.messageId);
    // Looked up before anything is decided: what was accepted once is not judged by today's routing.
    const known = owner.kind === 'principal' ? await tasks.load(id) : undefined;
    if (known !== undefined) return await this.#again(message, known);
    const refused = await webhookRefusal(params, pushConfigs);
    if (refused !== undefined) return err(refused);
    const plan = await planner.first(message, id);
    if (!plan.ok) return plan;
    return await beginning.begin(message, plan.value, {
      ...this.#knownBy(message),
      ...submission(tasks, message, id),
    });
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
    if (stored.messages.has(messageId)) return await this.#again(message, stored);
    if (await this.#beganAnother(message)) return err(messageIdReused());
    if (isTerminal(stored.task.status.state)) return err(taskEnded(taskId));
    if (isHeld(stored)) return err(approvalPending(taskId));
    if (isRunning(stored)) return err(turnUnderWay(taskId));
    const refused = await webhookRefusal(params, pushConfigs);
    if (refused !== undefined) return err(refused);
    const plan = await planner.further(message, stored);
    if (!plan.ok) return plan;
    const id = stored.task.id as Uuid;
    return await beginning.begin(message, plan.value, {
      ...this.#knownBy(message),
      id,
      append: async (changes) => {
        const turn = { message: params.message, digest, changes, ...pushConfigOf(params) };
        return await tasks.continue(id, stored.revision, turn);
      },
      overtaken: overtakenBy,
    });
  }

  /** How a message is known that begins a turn of a task. */
  #knownBy(message: ReceivedMessage): Pick<Begin, 'isHere' | 'again'> {
    const { messageId } = message.params.message;
    return {
      isHere: (stored) => stored.messages.has(messageId),
      again: async (stored) => await this.#again(message, stored),
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
    return isOfNoCall(stored) ? err(messageIdSpent()) : ok({ stored, turn: null });
  }
}

/** What an answer to the message would name: the skill that ran, or those that a question was about. */
function skillsOf({ binding, routing }: StoredTask): ReadonlySet<SkillId> {
  if (binding !== null) return new Set([binding.skillId]);
  const candidates = routing?.candidates.map(({ skillId }) => skillId) ?? [];
  return new Set([...candidates, ...(routing?.considered?.skillIds ?? [])]);
}
