import type { AgentId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { DirectInvokeDeclarations } from '../domain/card-direct-invoke.js';
import type { CardSkill } from '../domain/card-skills.js';
import type { AgentCapabilities } from '../queries/capability-registry.js';

/** The public skills of an agent, under the number that the log gave them. */
export interface PublishedSkills {
  /** What they were generated from. */
  readonly capabilities: AgentCapabilities;
  readonly skills: readonly CardSkill[];
  /** Of those skills: how they are invoked directly. */
  readonly declarations: DirectInvokeDeclarations;
  /** From 1; the third number of the card's version. */
  readonly version: number;
}

/** Versions of public cards: all nodes agree on them through the streams `card-<agent>`. */
export abstract class CardPublication {
  /**
   * Sees to it that the agent's public skills, as the registry has them now, are published: called
   * after each change of a capability, and before a card is generated from other skills than the
   * last one. Nothing is recorded when they are published already.
   *
   * Refuses with `projection-behind` (the registry's view did not reach the head of the log in time)
   * and `contention`.
   */
  abstract ensure(agentId: AgentId): Promise<Result<PublishedSkills, Rejection>>;
}
