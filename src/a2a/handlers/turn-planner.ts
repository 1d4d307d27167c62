import { entitlement } from '../../capabilities/domain/entitlement.js';
import type { CapabilityRegistry } from '../../capabilities/queries/capability-registry.js';
import type { SkillId } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { RoutingDecision, RoutingRecord } from '../routing/decision.js';
import { acceptedModes } from '../routing/media-types.js';
import type { MessageRouter } from '../routing/message-router.js';
import { textOf } from '../routing/message-text.js';
import { preferredSkill } from '../routing/preferred-skill.js';
import { questionAbout } from '../routing/question.js';
import { usableReplacement } from '../routing/replacement.js';
import { noneProduced, removedSkill } from '../routing/routing-refusals.js';
import type { StoredTask } from '../tasks/domain/task.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { Message } from '../wire/types.js';
import type { A2aRequest } from './agent-operations.js';
import { contractRequired, notAvailable, notImplemented } from './execution-refusals.js';
import type { Handlers } from './handler-registry.js';
import { sizeRefusal } from './limits.js';
import { withEarlier, type ReceivedMessage } from './received-message.js';
import type { TurnPlan } from './turn-plan.js';

type Head = NonNullable<Awaited<ReturnType<CapabilityRegistry['head']>>>;

/** Finds out what is to be done about a message, and whether it may. Records nothing. */
export class TurnPlanner {
  constructor(
    private readonly registry: CapabilityRegistry,
    private readonly router: MessageRouter,
    private readonly handlers: Handlers,
  ) {}

  /** For a message that starts a task. */
  async first(message: ReceivedMessage): Promise<Result<TurnPlan, A2aRefusal>> {
    return this.#route(message, message.params.message, '');
  }

  /** For a message that goes on with a task: to its handler, or to whom the answer names. */
  async further(
    message: ReceivedMessage,
    { task, binding }: StoredTask,
  ): Promise<Result<TurnPlan, A2aRefusal>> {
    const sent = message.params.message;
    if (binding === null) return this.#route(message, withEarlier(sent, task), textOf(sent.parts));
    const { skillId } = binding;
    const candidates = [{ skillId, confidence: 1 }];
    const considered = { skillIds: [skillId], total: 1 };
    const routing: RoutingRecord = {
      layer: 'continuing-task',
      candidates,
      confidence: 1,
      considered,
    };
    return this.#run(message, sent, skillId, routing);
  }

  /**
   * The capability at the head of its stream, if the caller is entitled to it there, whatever a view,
   * a task or a hint said.
   */
  async permitted(
    { agent, caller }: Pick<A2aRequest, 'agent' | 'caller'>,
    skillId: SkillId,
  ): Promise<Result<Head, A2aRefusal>> {
    const head = await this.registry.head(agent.agentId, skillId);
    const found = head === undefined ? 'none' : entitlement(head.capability, caller);
    if (head === undefined || found === 'none') return err(notAvailable());
    if (found === 'granted') return ok(head);
    const capabilities = this.registry.of(agent.agentId);
    return err(removedSkill(skillId, usableReplacement(capabilities, head.capability, caller)));
  }

  async #route(
    received: ReceivedMessage,
    message: Message,
    answer: string,
  ): Promise<Result<TurnPlan, A2aRefusal>> {
    const { agent, caller, signal } = received.request;
    const capabilities = this.registry.of(agent.agentId);
    const routed = await this.router.route({
      capabilities,
      caller,
      parts: message.parts,
      preferredSkill: preferredSkill(received.params),
      answer,
      signal,
    });
    if (!routed.ok) return routed;
    const decision: RoutingDecision = routed.value;
    switch (decision.kind) {
      case 'removed':
        return err(removedSkill(decision.skillId, decision.replacement));
      case 'clarify': {
        const among = decision.among.flatMap((id) => capabilities.all.get(id) ?? []);
        return ok({ kind: 'ask', question: questionAbout(among), routing: decision.record });
      }
      case 'routed':
        return this.#run(received, message, decision.skillId, decision.record);
    }
  }

  async #run(
    received: ReceivedMessage,
    message: Message,
    skillId: SkillId,
    routing: RoutingRecord,
  ): Promise<Result<TurnPlan, A2aRefusal>> {
    const permitted = await this.permitted(received.request, skillId);
    if (!permitted.ok) return permitted;
    const { stream, capability } = permitted.value;
    const { manifest } = capability;
    if (manifest.requiresContract) return err(contractRequired(capability));
    const implementation = this.handlers.get(manifest.agentId, manifest.handler);
    if (implementation === undefined) return err(notImplemented(capability));
    const tooBig = sizeRefusal(manifest, message);
    if (tooBig !== undefined) return err(tooBig);
    const { acceptedOutputModes } = received.params.configuration ?? {};
    const outputModes = acceptedModes(manifest.skill.outputModes, acceptedOutputModes);
    if (outputModes.length === 0) return err(noneProduced(capability));
    return ok({ kind: 'run', capability, stream, implementation, routing, outputModes, message });
  }
}
