import type { SkillId } from '../../../kernel/ids.js';
import type { SkillTexts } from '../text-classifier.js';

/** Examples of a skill that are learned; more add little. */
const MAX_EXAMPLES = 24;
/** Of each of this many skills some examples are learned, whatever the room. */
const CROWD = 4_000;
const FEWEST_EXAMPLES = 2;
/** Skills of an agent beyond these are not learned: they need a hint, or the model layer. */
const MAX_SKILLS = 20_000;
/** Characters of a text that are read, learned or asked about. */
export const MAX_TEXT_LENGTH = 2_000;

/** What is learned of a skill: its description, as one more example, before the examples. */
export interface LearnedSkill {
  readonly skillId: SkillId;
  readonly texts: readonly string[];
  /** As registered, learned or not. */
  readonly examples: number;
}

/** @param room texts that may be learned of all; with many skills each gets fewer examples. */
export function learnedSkills(skills: readonly SkillTexts[], room: number): LearnedSkill[] {
  const share = Math.floor(room / Math.max(1, skills.length)) - 1;
  const fewest = skills.length <= CROWD ? FEWEST_EXAMPLES : 0;
  const most = Math.max(fewest, Math.min(MAX_EXAMPLES, share));
  return skills.slice(0, MAX_SKILLS).map(({ skillId, name, description, examples }) => ({
    skillId,
    texts: [description === '' ? name : `${name}. ${description}`, ...examples.slice(0, most)].map(
      (text) => text.slice(0, MAX_TEXT_LENGTH),
    ),
    examples: examples.length,
  }));
}

export function isSameSkill(a: LearnedSkill | undefined, b: LearnedSkill | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.examples !== b.examples || a.texts.length !== b.texts.length) return false;
  return a.texts.every((text, i) => text === b.texts[i]);
}
