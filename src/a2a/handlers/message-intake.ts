import type { Capability } from '../../capabilities/domain/capability.js';
import type { A2aConfig } from '../../config/hosted-agents.js';
import type { Uuid } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { ownerOf } from '../tasks/owner-of.js';
import { isRunning } from '../tasks/domain/task-fold.js';
import type { StoredTask, TaskChange, TaskChangeRefused } from '../tasks/domain/task.js';
import { tooManyPushConfigs } from '../tasks/domain/refusals.js';
import type { PushConfigs, Tasks } from '../tasks/port.js';
import type { A2aRefusal } from '../wire/refusal.js';
import { isTerminal, type SendMessageRequest } from '../wire/types.js';
import type { A2aRequest } from './agent-operations.js';
import { contractClaimRefusal } from './contract-claim.js';
import {
  busy,
  contextMismatch,
  messageIdReused,
  taskEnded,
  taskFull,
  turnUnderWay,
} from './execution-refusals.js';
import { limitOf } from './limits.js';
import { received, type ReceivedMessage } from './received-message.js';
import type { RunningTurns, Slot } from './running-turns.js';
import type { AskBack, TurnPlan } from './turn-plan.js';
import type { TurnPlanner } from './turn-planner.js';
import type { BegunTurn, PreparedTurn, TurnStarter } from './turn-starter.js';
import { webhookRefusal } from './webhook-of-message.js';

export interface IntakeParts {
  readonly tasks: Tasks;
  readonly pushConfigs: Pick<PushConfigs, 'check'>;
  readonly planner: TurnPlanner;
  readonly starter: TurnStarter;
  readonly turns: RunningTurns;
  /** How tasks of callers without a token are shared. */
  readonly anonymous: A2aConfig['anonymous'];
  readonly trustExtensionUri: string;
}

type Begun = Result<BegunTurn, A2aRefusal>;

/**
 * Takes messages in, each once: a message id that was here before gives the task of then. Nothing is
 * recorded of what is refused.
 */
export class MessageIntake {
  /** Appends under way that begin turns here, by task. */
  readonly #submitting = new Map<Uuid, Promise<unknown>>();

  constructor(private readonly parts: IntakeParts) {}

  /**
   * Refuses with TaskNotFound, ContentTypeNotSupported, and: InvalidParams `contract-not-checked`,
   * `message-id-reused`, `context-mismatch`, `message-too-large`, `too-many-parts`,
   * `too-many-push-configs`, and what else is wrong with a webhook;
   * UnsupportedOperation `task-ended`, `task-full`, `turn-under-way`, `skill-removed`,
   * `capability-unavailable`, `handler-absent`, `contract-required`; Internal `capability-busy`.
   */
  async take(request: A2aRequest, params: SendMessageRequest): Promise<Begun> {
    const claim = contractClaimRefusal(params, this.parts.trustExtensionUri);
    if (claim !== undefined) return err(claim);
    const owner = ownerOf(request.caller, this.parts.anonymous);
    const message = received(request, owner, params);
    const { taskId } = params.message;
    return taskId === undefined ? this.#first(message) : this.#further(message, taskId);
  }

  async #first(message: ReceivedMessage): Promise<Begun> {
    const { tasks, pushConfigs, planner } = this.parts;
    const { request, owner, params, digest } = message;
    const { agentId } = request.agent;
    const id = tasks.idFor(owner, agentId, params.message.messageId);
    // Looked up before anything is decided: what was accepted once is not judged by today's routing.
    const known = owner.kind === 'principal' ? await tasks.load(id) : undefined;
    if (known !== undefined) return this.#again(message, known);
    const refused = await webhookRefusal(params, pushConfigs);
    if (refused !== undefined) return err(refused);
    const plan = await planner.first(message);
    if (!plan.ok) return plan;
    const pushConfig = params.configuration?.taskPushNotificationConfig;
    return this.#begin(message, plan.value, id, async (changes) => {
      const { known: isKnown, stored } = await tasks.submit(id, {
        agentId,
        owner,
        message: params.message,
        digest,
        changes,
        ...(pushConfig === undefined ? {} : { pushConfig }),
      });
      return isKnown ? { other: await this.#again(message, stored) } : { stored };
    });
  }

  async #further(message: ReceivedMessage, taskId: string): Promise<Begun> {
    const { tasks, pushConfigs, planner } = this.parts;
    const { request, owner, params, digest } = message;
    const { agentId } = request.agent;
    const found = await tasks.find(owner, agentId, taskId);
    if (!found.ok) return found;
    const stored = found.value;
    const { contextId, messageId } = params.message;
    if (contextId !== undefined && contextId !== stored.task.contextId) {
      return err(contextMismatch());
    }
    if (stored.messages.has(messageId)) return this.#again(message, stored);
    if (await this.#beganAnother(message)) return err(messageIdReused());
    if (isTerminal(stored.task.status.state)) return err(taskEnded(taskId));
    if (isRunning(stored)) return err(turnUnderWay(taskId));
    const refused = await webhookRefusal(params, pushConfigs);
    if (refused !== undefined) return err(refused);
    const plan = await planner.further(message, stored);
    if (!plan.ok) return plan;
    const id = stored.task.id as Uuid;
    const pushConfig = params.configuration?.taskPushNotificationConfig;
    return this.#begin(message, plan.value, id, async (changes) => {
      const webhook = pushConfig === undefined ? {} : { pushConfig };
      const turn = { message: params.message, digest, changes, ...webhook };
      const continued = await tasks.continue(id, stored.revision, turn);
      if (continued.ok) return { stored: continued.value };
      return { other: await this.#overtaken(message, continued.error) };
    });
  }

  /** Was the id of the message used to begin a task? That was another message: this one names its task. */
  async #beganAnother({ request, owner, params }: ReceivedMessage): Promise<boolean> {
    if (owner.kind !== 'principal') return false;
    const { tasks } = this.parts;
    const id = tasks.idFor(owner, request.agent.agentId, params.message.messageId);
    return (await tasks.load(id)) !== undefined;
  }

  /** @param submit the append that is the lock; `other` when somebody else was first */
  async #begin(
    message: ReceivedMessage,
    plan: TurnPlan,
    id: Uuid,
    submit: (
      changes: readonly TaskChange[],
    ) => Promise<{ readonly stored: StoredTask } | { readonly other: Begun }>,
  ): Promise<Begun> {
    if (plan.kind === 'ask') {
      const submitted = await submit(askingChanges(plan));
      return 'other' in submitted ? submitted.other : ok({ ...submitted, turn: null });
    }
    const { manifest } = plan.capability;
    const place = JSON.stringify([manifest.agentId, manifest.id]);
    const slot = this.parts.turns.take(place, limitOf(manifest, 'max_concurrent'));
    if (slot === undefined) return this.#full(message, plan.capability, id);
    const { messageId } = message.params.message;
    const prepared = this.parts.starter.prepare(plan, id, messageId);
    const submitted = submit([prepared.routed]);
    this.#submitting.set(id, submitted);
    return this.#start(message, prepared, slot, submitted).finally(() => {
      if (this.#submitting.get(id) === submitted) this.#submitting.delete(id);
    });
  }

  async #start(
    message: ReceivedMessage,
    prepared: PreparedTurn,
    slot: Slot,
    submitting: Promise<{ readonly stored: StoredTask } | { readonly other: Begun }>,
  ): Promise<Begun> {
    let submitted: Awaited<typeof submitting>;
    try {
      submitted = await submitting;
    } catch (error) {
      slot.release();
      throw error;
    }
    if ('stored' in submitted) {
      return ok(await this.parts.starter.start(message, prepared, submitted.stored, slot));
    }
    slot.release();
    return submitted.other;
  }

  /** Without a place; but the last one may have gone to the very same message. */
  async #full(message: ReceivedMessage, capability: Capability, id: Uuid): Promise<Begun> {
    await this.#submitting.get(id)?.catch(() => undefined);
    const stored = await this.parts.tasks.load(id);
    const isHere = stored?.messages.has(message.params.message.messageId) ?? false;
    return stored !== undefined && isHere ? this.#again(message, stored) : err(busy(capability));
  }

  /** The task of a message that was here before, if it is the same and its sender may still. */
  async #again(message: ReceivedMessage, stored: StoredTask): Promise<Begun> {
    const { messageId } = message.params.message;
    if (stored.messages.get(messageId) !== message.digest) return err(messageIdReused());
    if (stored.binding === null) return ok({ stored, turn: null });
    const permitted = await this.parts.planner.permitted(message.request, stored.binding.skillId);
    // What was removed since did run then.
    const isPermitted = permitted.ok || permitted.error.code === 'skill-removed';
    return isPermitted ? ok({ stored, turn: null }) : permitted;
  }

  async #overtaken(message: ReceivedMessage, { kind, task }: TaskChangeRefused): Promise<Begun> {
    if (task.messages.has(message.params.message.messageId)) return this.#again(message, task);
    const { id } = task.task;
    switch (kind) {
      case 'terminal':
        return err(taskEnded(id));
      case 'moved-on':
        return err(turnUnderWay(id));
      case 'full':
        return err(taskFull(id));
      case 'too-many-push-configs':
        return err(tooManyPushConfigs());
    }
  }
}

function askingChanges({ question, routing }: AskBack): readonly TaskChange[] {
  return [
    { kind: 'routed', binding: null, routing, deadline: null },
    { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', parts: question },
  ];
}
