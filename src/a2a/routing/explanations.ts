import type { CapabilityRegistry } from '../../capabilities/queries/capability-registry.js';
import type { Caller } from '../../kernel/caller.js';
import type { AgentId } from '../../kernel/ids.js';
import type { Result } from '../../kernel/result.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { Part } from '../wire/types.js';
import type { RoutingDecision } from './decision.js';
import type { MessageRouter } from './message-router.js';
import type { RoutingStep } from './routing-step.js';

/** A message that nobody has sent. */
export interface ExplainedMessage {
  readonly parts: readonly Part[];
  readonly preferredSkill: string | undefined;
}

/** What would become of a message, and why. */
export interface Explanation {
  readonly outcome: Result<RoutingDecision, A2aRefusal>;
  /** In the order in which they were asked. */
  readonly steps: readonly RoutingStep[];
}

/** Explains how a caller's message would be routed: with nothing in it that the caller may not know. */
export class RoutingExplanations {
  constructor(
    private readonly registry: Pick<CapabilityRegistry, 'of'>,
    private readonly router: MessageRouter,
  ) {}

  async explain(
    agentId: AgentId,
    caller: Caller | null,
    { parts, preferredSkill }: ExplainedMessage,
  ): Promise<Explanation> {
    const steps: RoutingStep[] = [];
    const subject = {
      capabilities: this.registry.of(agentId),
      caller,
      parts,
      preferredSkill,
      answer: '',
      signal: new AbortController().signal,
    };
    const outcome = await this.router.route(subject, (step) => steps.push(step()));
    return { outcome, steps };
  }
}
