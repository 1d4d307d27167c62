import type { SkillId } from '../../../kernel/ids.js';
import type { SkillWarning, TextVerdict } from '../text-classifier.js';
import type { LearnedSkill } from './learned-skills.js';
import type { Steps } from './steps.js';

/** Share of an index that may be of skills that went. */
export const MAX_DEAD_SHARE = 0.25;
/** Candidates of a verdict. */
export const MAX_RANKED = 5;

/**
 * How skills are compared with texts: by encoder and words, by words until all is encoded (or
 * always, where there is no encoder), or merely ranked.
 */
export type IndexShape =
  'encoded-small' | 'encoded-large' | 'words-small' | 'words-large' | 'overlap';

/** The skills of one agent, made ready to be compared with texts. */
export interface SkillIndex {
  readonly shape: IndexShape;
  /** What it holds, as it was learned. */
  readonly skills: ReadonlyMap<SkillId, LearnedSkill>;
  /** Whether it is as good as one built from what it holds. */
  readonly isFresh: boolean;
  /** Whether so much of it is of skills that went that it should be built anew. */
  readonly isWorn: boolean;
  readonly warnings: readonly SkillWarning[];
  /** Until it is done, the index answers as it did before. */
  change(removed: readonly SkillId[], added: readonly LearnedSkill[]): Steps<void>;
  classify(text: string, candidates: ReadonlySet<SkillId>): TextVerdict;
}
