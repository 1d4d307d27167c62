import type { CapabilityRegistry } from '../../capabilities/queries/capability-registry.js';
import type { AuthorizationAnswer } from '../../invocations/queries/authorizer.js';
import { deriveUuid, type SkillId, type Uuid } from '../../kernel/ids.js';
import { err, ok, type Err, type Result } from '../../kernel/result.js';
import type { RoutingDecision, RoutingRecord } from '../routing/decision.js';
import type { MessageRouter } from '../routing/message-router.js';
import { textOf } from '../routing/message-text.js';
import { preferredSkill } from '../routing/preferred-skill.js';
import { questionAbout } from '../routing/question.js';
import { usableReplacement } from '../routing/replacement.js';
import { removedSkill } from '../routing/routing-refusals.js';
import type { StoredTask } from '../tasks/domain/task.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { Message } from '../wire/types.js';
import { contractRefusal } from './authorization-refusals.js';
import type { CallPermissions } from './call-permissions.js';
import { notAvailable } from './execution-refusals.js';
import type { Implementations, Wanted } from './implementations.js';
import { withEarlier, type ReceivedMessage } from './received-message.js';
import type { DirectTurn, PlannedCall, TurnPlan } from './turn-plan.js';

/** What messages are planned by. */
export interface PlannerParts {
  readonly registry: Pick<CapabilityRegistry, 'of'>;
  readonly router: MessageRouter;
  readonly implementations: Implementations;
  readonly permissions: CallPermissions;
}

/** A capability that was found, and for what. */
interface Choice extends Omit<Wanted, 'capability'> {
  readonly skillId: SkillId;
  readonly routing: RoutingRecord;
}

/** The id of a call that a message makes: of its idempotency key, if it has one, else of the message. */
export function invocationIdOf(
  taskId: Uuid,
  messageId: string,
  byKey: DirectTurn['byKey'] = null,
): Uuid {
  return byKey ?? deriveUuid(['turn', taskId, messageId]);
}

/** Finds out what is to be done about a message, and whether it may. Records nothing but refusals. */
export class TurnPlanner {
  constructor(private readonly parts: PlannerParts) {}

  /** For a message that starts a task, of this id. */
  async first(message: ReceivedMessage, taskId: Uuid): Promise<Result<TurnPlan, A2aRefusal>> {
    return await this.#route(message, taskId, message.params.message, '');
  }

  /** For a message that goes on with a task: to its handler, or to whom the answer names. */
  async further(
    message: ReceivedMessage,
    { task, binding }: StoredTask,
  ): Promise<Result<TurnPlan, A2aRefusal>> {
    const sent = message.params.message;
    const taskId = task.id as Uuid;
    if (binding === null) {
      return await this.#route(message, taskId, withEarlier(sent, task), textOf(sent.parts));
    }
    const { skillId, handler } = binding;
    const routing: RoutingRecord = {
      layer: 'continuing-task',
      candidates: [{ skillId, confidence: 1 }],
      confidence: 1,
      considered: { skillIds: [skillId], total: 1 },
    };
    const accepted = message.params.configuration?.acceptedOutputModes;
    return await this.call(message, taskId, { skillId, handler, routing, message: sent, accepted });
  }

  /** May the message still be told of a skill that it, or its question, was about? */
  async recheck(
    received: ReceivedMessage,
    skillId: SkillId,
    isBound: boolean,
  ): Promise<A2aRefusal | undefined> {
    const answer = await this.parts.permissions.ask(received, skillId);
    const { decision } = answer;
    // What was removed since did run then.
    if (decision.kind === 'grant' || decision.code === 'capability-removed') return undefined;
    // A question names skills, and calls none.
    if (!isBound && decision.code !== 'not-entitled') return undefined;
    // Nothing was to be called any more: it goes on no record.
    this.parts.permissions.count(decision.code);
    return this.#refusal(received, skillId, answer);
  }

  /**
   * The call of a chosen capability, at the head of its stream, if it may be made, whatever a view,
   * a task or a hint said.
   */
  async call(
    received: ReceivedMessage,
    taskId: Uuid,
    { skillId, routing, ...wanted }: Choice,
  ): Promise<Result<PlannedCall, A2aRefusal>> {
    const answer = await this.parts.permissions.ask(received, skillId);
    const { decision, basedOn } = answer;
    if (decision.kind === 'refusal') {
      this.parts.permissions.record(received, {
        skillId,
        refusal: decision,
        basedOn,
        invocationId: invocationIdOf(taskId, received.params.message.messageId),
        argumentsDigest: received.digest,
      });
      return err(this.#refusal(received, skillId, answer));
    }
    const { capability } = decision;
    const found = this.parts.implementations.find(received, { capability, ...wanted });
    if (!found.ok) return this.#counted(found.error);
    return ok({
      kind: 'call',
      grant: decision,
      basedOn,
      routing,
      message: wanted.message,
      direct: null,
      ...found.value,
    });
  }

  #counted(refusal: A2aRefusal): Err<A2aRefusal> {
    this.parts.permissions.count(refusal.code ?? refusal.error);
    return err(refusal);
  }

  #refusal(
    { request: { agent, caller } }: ReceivedMessage,
    skillId: SkillId,
    { decision, capability }: AuthorizationAnswer,
  ): A2aRefusal {
    if (decision.kind === 'grant' || decision.code === 'not-entitled') return notAvailable();
    if (decision.code !== 'capability-removed') {
      const { code } = decision;
      return contractRefusal(skillId, { ...decision, code }, caller !== null);
    }
    const capabilities = this.parts.registry.of(agent.agentId);
    const replacement = capability && usableReplacement(capabilities, capability, caller);
    return removedSkill(skillId, replacement);
  }

  async #route(
    received: ReceivedMessage,
    taskId: Uuid,
    message: Message,
    answer: string,
  ): Promise<Result<TurnPlan, A2aRefusal>> {
    const { request, params } = received;
    const { agent, caller, signal } = request;
    const capabilities = this.parts.registry.of(agent.agentId);
    const routed = await this.parts.router.route({
      capabilities,
      caller,
      parts: message.parts,
      preferredSkill: preferredSkill(params),
      answer,
      signal,
    });
    if (!routed.ok) return this.#counted(routed.error);
    const decision: RoutingDecision = routed.value;
    switch (decision.kind) {
      case 'removed':
        this.parts.permissions.count('capability-removed');
        return err(removedSkill(decision.skillId, decision.replacement));
      case 'clarify': {
        const among = decision.among.flatMap((id) => capabilities.all.get(id) ?? []);
        return ok({ kind: 'ask', question: questionAbout(among), routing: decision.record });
      }
      case 'routed': {
        const { skillId, record: routing } = decision;
        const accepted = params.configuration?.acceptedOutputModes;
        return await this.call(received, taskId, {
          ...{ skillId, handler: null, routing, message, accepted },
        });
      }
    }
  }
}
