import type { A2aConfig } from '../../config/hosted-agents.js';
import type { Uuid } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { ownerOf } from '../tasks/owner-of.js';
import { isRunning } from '../tasks/domain/task-fold.js';
import type {
  PushConfigs,
  StoredTask,
  TaskChange,
  TaskChangeRefused,
  Tasks,
} from '../tasks/port.js';
import type { A2aRefusal } from '../wire/refusal.js';
import {
  isTerminal,
  type SendMessageRequest,
  type TaskPushNotificationConfig,
} from '../wire/types.js';
import type { A2aRequest } from './agent-operations.js';
import {
  busy,
  contextMismatch,
  messageIdReused,
  taskEnded,
  turnUnderWay,
} from './execution-refusals.js';
import { limitOf } from './limits.js';
import { received, type ReceivedMessage } from './received-message.js';
import type { RunningTurns, Slot } from './running-turns.js';
import type { AskBack, TurnPlan } from './turn-plan.js';
import type { TurnPlanner } from './turn-planner.js';
import type { BegunTurn, PreparedTurn, TurnStarter } from './turn-starter.js';

export interface IntakeParts {
  readonly tasks: Tasks;
  readonly pushConfigs: Pick<PushConfigs, 'check' | 'set'>;
  readonly planner: TurnPlanner;
  readonly starter: TurnStarter;
  readonly turns: RunningTurns;
  /** How tasks of callers without a token are shared. */
  readonly anonymous: A2aConfig['anonymous'];
}

type Begun = Result<BegunTurn, A2aRefusal>;

/**
 * Takes messages in, each once: a message id that was here before gives the task of then. Nothing is
 * recorded of what is refused.
 */
export class MessageIntake {
  constructor(private readonly parts: IntakeParts) {}

  /**
   * Refuses with TaskNotFound, ContentTypeNotSupported, and: InvalidParams `message-id-reused`,
   * `context-mismatch`, `message-too-large`, `too-many-parts`, and what is wrong with a webhook;
   * UnsupportedOperation `task-ended`, `turn-under-way`, `skill-removed`, `capability-unavailable`,
   * `handler-absent`, `contract-required`; Internal `capability-busy`.
   */
  async take(request: A2aRequest, params: SendMessageRequest): Promise<Begun> {
    const owner = ownerOf(request.caller, this.parts.anonymous);
    const message = received(request, owner, params);
    const { taskId } = params.message;
    return taskId === undefined ? this.#first(message) : this.#further(message, taskId);
  }

  async #first(message: ReceivedMessage): Promise<Begun> {
    const { tasks, planner } = this.parts;
    const { request, owner, params, digest } = message;
    const { agentId } = request.agent;
    const id = tasks.idFor(owner, agentId, params.message.messageId);
    // Looked up before anything is decided: what was accepted once is not judged by today's routing.
    const known = owner.kind === 'principal' ? await tasks.load(id) : undefined;
    if (known !== undefined) return this.#again(message, known);
    const pushConfig = params.configuration?.taskPushNotificationConfig;
    const refused = await this.#pushRefusal(pushConfig);
    if (refused !== undefined) return err(refused);
    const plan = await planner.first(message);
    if (!plan.ok) return plan;
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
    if (isTerminal(stored.task.status.state)) return err(taskEnded(taskId));
    if (isRunning(stored)) return err(turnUnderWay(taskId));
    const plan = await planner.further(message, stored);
    if (!plan.ok) return plan;
    const id = stored.task.id as Uuid;
    const config = params.configuration?.taskPushNotificationConfig;
    const set = config && (await pushConfigs.set(owner, agentId, id, { ...config, taskId: id }));
    if (set?.ok === false) return set;
    return this.#begin(message, plan.value, id, async (changes) => {
      const turn = { message: params.message, digest, changes };
      const continued = await tasks.continue(id, stored.revision, turn);
      if (continued.ok) return { stored: continued.value };
      return { other: await this.#overtaken(message, continued.error) };
    });
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
    if (slot === undefined) return err(busy(plan.capability));
    const { messageId } = message.params.message;
    const prepared = this.parts.starter.prepare(plan, id, messageId);
    return this.#start(message, prepared, slot, () => submit([prepared.routed]));
  }

  async #start(
    message: ReceivedMessage,
    prepared: PreparedTurn,
    slot: Slot,
    submit: () => Promise<{ readonly stored: StoredTask } | { readonly other: Begun }>,
  ): Promise<Begun> {
    let submitted: Awaited<ReturnType<typeof submit>>;
    try {
      submitted = await submit();
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
    return err(kind === 'terminal' ? taskEnded(id) : turnUnderWay(id));
  }

  async #pushRefusal(
    config: TaskPushNotificationConfig | undefined,
  ): Promise<A2aRefusal | undefined> {
    return config && this.parts.pushConfigs.check(config);
  }
}

function askingChanges({ question, routing }: AskBack): readonly TaskChange[] {
  return [
    { kind: 'routed', binding: null, routing, deadline: null },
    { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', parts: question },
  ];
}
