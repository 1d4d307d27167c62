import type { SkillId } from '../../../kernel/ids.js';
import type { SkillWarning, TextVerdict } from '../text-classifier.js';
import { fewExamples } from './calibration.js';
import type { LearnedSkill } from './learned-skills.js';
import { Postings } from './postings.js';
import { MAX_DEAD_SHARE, MAX_RANKED, type SkillIndex } from './skill-index.js';
import type { Steps } from './steps.js';
import { TermStatistics } from './term-statistics.js';

/** Of a text that is a skill's own, word for word. Nothing is known of how often it is right. */
const HIGHEST_CONFIDENCE = 0.5;

/**
 * Ranks skills by the words that they share with a text: for registries of more skills than can be
 * fitted. It knows who is likely, not how likely: its confidence stays low, so that callers are
 * asked back, with good candidates.
 */
export class OverlapIndex implements SkillIndex {
  readonly shape = 'overlap';
  readonly skills = new Map<SkillId, LearnedSkill>();
  readonly isFresh = true;
  readonly #statistics: TermStatistics;
  readonly #postings = new Postings();
  /** Skill of each row; undefined where it went. */
  readonly #skillOf: (SkillId | undefined)[] = [];

  /** @param most texts that can be fitted: it has more */
  constructor(
    corpus: readonly string[],
    private readonly most: number,
  ) {
    this.#statistics = new TermStatistics(corpus);
  }

  *change(removed: readonly SkillId[], added: readonly LearnedSkill[]): Steps<void> {
    const gone = new Set(removed);
    for (const skillId of gone) this.skills.delete(skillId);
    this.#skillOf.forEach((skillId, row) => {
      if (skillId !== undefined && gone.has(skillId)) this.#skillOf[row] = undefined;
    });
    for (const skill of added) {
      this.skills.set(skill.skillId, skill);
      for (const text of skill.texts) {
        this.#postings.add(this.#skillOf.length, this.#statistics.vector(text));
        this.#skillOf.push(skill.skillId);
      }
      yield;
    }
  }

  classify(text: string, candidates: ReadonlySet<SkillId>): TextVerdict {
    const cosines = this.#postings.cosines(this.#statistics.vector(text), this.#skillOf.length);
    const best = new Map<SkillId, number>();
    cosines.forEach((cosine, row) => {
      const skillId = this.#skillOf[row];
      if (skillId === undefined || cosine <= (best.get(skillId) ?? 0)) return;
      best.set(skillId, cosine);
    });
    const ranked = [...best].sort(([, a], [, b]) => b - a);
    const likeliest = ranked[0]?.[0];
    return {
      ranked: ranked
        .filter(([skillId]) => candidates.has(skillId))
        .slice(0, MAX_RANKED)
        .map(([skillId, cosine]) => ({
          skillId,
          confidence: Math.min(1, cosine) * HIGHEST_CONFIDENCE,
        })),
      foreign: likeliest !== undefined && !candidates.has(likeliest),
    };
  }

  get isWorn(): boolean {
    const dead = this.#skillOf.filter((skillId) => skillId === undefined).length;
    return dead > this.#skillOf.length * MAX_DEAD_SHARE;
  }

  get warnings(): readonly SkillWarning[] {
    const texts = this.#skillOf.filter((skillId) => skillId !== undefined).length;
    return [
      { code: 'too-many-texts', texts, most: this.most },
      ...fewExamples(this.skills.values()),
    ];
  }
}
