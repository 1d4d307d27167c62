import type { AgentId, SkillId } from '../../kernel/ids.js';

/** Something worth knowing that is no reason to refuse. */
export interface Advice {
  /** Kebab case, stable. */
  readonly code: string;
  /** One sentence. */
  readonly detail: string;
}

/** The same of one of an agent's capabilities; null: of all of them together. */
export interface SkillAdvice extends Advice {
  readonly skillId: SkillId | null;
}

/** Looks at a capability that has just been written, as whoever routes messages would. */
export abstract class RegistrationAdvice {
  /** Answers soon with what is known by then: a write waits for it. Empty when all is well. */
  abstract warningsFor(agentId: AgentId, skillId: SkillId): Promise<readonly Advice[]>;

  /** Everything that is known of an agent's capabilities, when it is known; however long it takes. */
  abstract survey(agentId: AgentId): AsyncIterable<SkillAdvice>;
}
