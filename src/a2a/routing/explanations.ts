import { entitlement } from '../../capabilities/domain/entitlement.js';
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
    private readonly registry: Pick<CapabilityRegistry, 'of' | 'head'>,
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
   * Undefined for everybody else as for a task that is not. An owner is told of no skill that does not
   * exist for them by now (a tombstone does), and nothing of a task that is bound to such a one.
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
    if (!stored) return undefined;
    const routed = { skillId: stored.binding?.skillId ?? null, routing: stored.routing };
    if (mayAskAboutOthers) return routed;
    const hidden = await this.#hiddenIn(agentId, routed, caller);
    if (routed.skillId !== null && hidden.has(routed.skillId)) return undefined;
    return { ...routed, routing: routed.routing && withoutHidden(routed.routing, hidden) };
  }

  /** At the heads of the streams: no view may lag behind what was taken from the caller. */
  async #hiddenIn(
    agentId: AgentId,
    routed: RoutedTask,
    caller: Caller,
  ): Promise<ReadonlySet<SkillId>> {
    const named = [...namedIn(routed)];
    const heads = await Promise.all(named.map((id) => this.registry.head(agentId, id)));
    const hidden = named.filter((_, index) => {
      const capability = heads[index]?.capability;
      return capability === undefined || entitlement(capability, caller) === 'none';
    });
    return new Set(hidden);
  }

  async #load(agentId: AgentId, taskId: string): Promise<StoredTask | undefined> {
    const id = parseTaskId(taskId);
    const stored = id === undefined ? undefined : await this.tasks.load(id);
    return stored?.agentId === agentId ? stored : undefined;
  }
}

function namedIn({ skillId, routing }: RoutedTask): ReadonlySet<SkillId> {
  const candidates = routing?.candidates.map((each) => each.skillId) ?? [];
  const considered = routing?.considered?.skillIds ?? [];
  return new Set([...(skillId === null ? [] : [skillId]), ...candidates, ...considered]);
}

function withoutHidden(
  { considered, ...record }: RoutingRecord,
  hidden: ReadonlySet<SkillId>,
): RoutingRecord {
  const candidates = record.candidates.filter(({ skillId }) => !hidden.has(skillId));
  if (considered === undefined) return { ...record, candidates };
  const skillIds = considered.skillIds.filter((skillId) => !hidden.has(skillId));
  const total = considered.total - (considered.skillIds.length - skillIds.length);
  return { ...record, candidates, considered: { skillIds, total } };
}
