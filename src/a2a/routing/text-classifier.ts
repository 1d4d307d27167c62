import type { TurnHolder } from '../../kernel/fair-turns.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';

/** One skill as the classifier learns it. */
export interface SkillTexts {
  readonly skillId: SkillId;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples: readonly string[];
}

/** The best candidates for a text. */
export interface TextVerdict {
  /** Candidates only, best first, at most 5; confidence is calibrated: 0.9 is right 9 times of 10. */
  readonly ranked: readonly { readonly skillId: SkillId; readonly confidence: number }[];
  /**
   * True when the likeliest of all skills of the agent is none of the candidates: ask back, and
   * never say which one it was.
   */
  readonly foreign: boolean;
}

/** What is worth telling whoever registers a skill; about the agent's skills alone. */
export type SkillWarning =
  /** Of all of the agent's skills: no text is ever sure of one. */
  | {
      readonly code: 'too-many-texts';
      /** Descriptions and examples that were learned. */
      readonly texts: number;
      /** So many may be, for texts to be sure. */
      readonly most: number;
    }
  | { readonly code: 'few-examples'; readonly skillId: SkillId; readonly examples: number }
  | {
      readonly code: 'skills-overlap';
      readonly skillId: SkillId;
      readonly with: SkillId;
      /** How many texts of the one are taken for the other when left out. */
      readonly confusions: number;
    };

/**
 * Classifies texts among an agent's skills. Fitting and inference run off the main thread; nothing
 * here waits for a fit that is under way: the newest finished index answers, and one that lacks a
 * new skill is refined within a second.
 */
export interface TextClassifier {
  /**
   * Tells the classifier all skills of an agent, tombstones too (removed skills must still be
   * recognised). Cheap when nothing changed. Resolves when the skills can be classified.
   */
  learn(agentId: AgentId, skills: readonly SkillTexts[]): Promise<void>;

  /**
   * Empty `candidates` give an empty verdict.
   * @param holder whose text it is: nobody's keep those of others waiting
   */
  classify(
    agentId: AgentId,
    text: string,
    candidates: readonly SkillId[],
    holder: TurnHolder,
  ): Promise<TextVerdict>;

  /** What the last fit showed of the agent's skills. */
  warnings(agentId: AgentId): Promise<readonly SkillWarning[]>;

  close(): Promise<void>;
}
