import type { Capability } from '../domain/capability.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';

/** All capabilities of an agent at one moment. The same object as long as nothing changed. */
export interface AgentCapabilities {
  readonly agentId: AgentId;
  /** Grows with every change; equal versions are equal capabilities. */
  readonly version: number;
  /** By skill id, in the order of their registration; removed ones are in it. */
  readonly all: ReadonlyMap<SkillId, Capability>;
}

/**
 * The registry as this node's view has it: for cards, candidates and lists. What a decision rests on
 * is read with {@link head}.
 */
export abstract class CapabilityRegistry {
  /**
   * Costs one look at the view when nothing changed, whatever the number of capabilities. Those
   * whose stream could not be read completely are left out: nothing fails open.
   */
  abstract of(agentId: AgentId): AgentCapabilities;

  /** True once the view has reached the head of the log; false after `timeoutMs`. */
  abstract isComplete(timeoutMs: number): Promise<boolean>;

  /** The capability at the head of its stream, with that stream's name: what `basedOn` records. */
  abstract head(
    agentId: AgentId,
    skillId: SkillId,
  ): Promise<{ readonly stream: string; readonly capability: Capability } | undefined>;
}
