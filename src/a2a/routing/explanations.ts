import type { CapabilityRegistry } from '../../capabilities/queries/capability-registry.js';
import type { Caller } from '../../kernel/caller.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { Result } from '../../kernel/result.js';
import { parseTaskId } from '../tasks/domain/streams.js';
import type { StoredTask } from '../tasks/domain/task.js';
import { ownerOf } from '../tasks/owner-of.js';
import type { Tasks } from '../tasks/port.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { Part } from '../wire/types.js';
import type { RoutingDecision, RoutingRecord } from './decision.js';
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

/** What a task says about the routing of its newest message. */
export interface RoutedTask {
  /** Null while its sender is asked. */
  readonly skillId: SkillId | null;
  readonly routing: RoutingRecord | null;
}

/** Explains how a caller's message would be routed: with nothing in it that the caller may not know. */
export class RoutingExplanations {
  constructor(
    private readonly registry: Pick<CapabilityRegistry, 'of'>,
    private readonly router: MessageRouter,
    private readonly tasks: Pick<Tasks, 'find' | 'load'>,
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

  /**
   * What was recorded on a task of the agent: for its owner, and for whoever may ask about others.
   * Undefined for everybody else as for a task that is not.
   */
  async recorded(
    agentId: AgentId,
    taskId: string,
    caller: Caller,
    mayAskAboutOthers: boolean,
  ): Promise<RoutedTask | undefined> {
    // Whoever asks has a token: how anonymous callers share tasks is no matter.
    const own = await this.tasks.find(ownerOf(caller, 'refused'), agentId, taskId);
    const stored = own.ok ? own.value : mayAskAboutOthers && (await this.#load(agentId, taskId));
    return stored
      ? { skillId: stored.binding?.skillId ?? null, routing: stored.routing }
      : undefined;
  }

  async #load(agentId: AgentId, taskId: string): Promise<StoredTask | undefined> {
    const id = parseTaskId(taskId);
    const stored = id === undefined ? undefined : await this.tasks.load(id);
    return stored?.agentId === agentId ? stored : undefined;
  }
}
