import type { SkillId } from '../../../kernel/ids.js';
import type { SkillTexts, SkillWarning, TextVerdict } from '../text-classifier.js';
import { MAX_TEXTS, type IndexBuilder } from './index-builder.js';
import { isSameSkill, learnedSkills, type LearnedSkill } from './learned-skills.js';
import type { SkillIndex } from './skill-index.js';
import { inSlices } from './steps.js';

/** Quiet time after a change before the index is built anew. */
const SETTLING_MS = 1_000;

/**
 * The index of one agent, kept in step with its skills. A change is worked into the index at once;
 * what takes longer (vectors of many texts, the rarity of terms) follows while the index answers.
 */
export class AgentIndex {
  #index: SkillIndex | undefined;
  #generation = 0;
  #learning: Promise<void> = Promise.resolve();
  #refining: Promise<void> = Promise.resolve();

  constructor(private readonly builder: IndexBuilder) {}

  /** Resolves when the skills can be classified. Lessons are taken one after the other. */
  learn(skills: readonly SkillTexts[]): Promise<void> {
    const generation = ++this.#generation;
    const learned = learnedSkills(skills, MAX_TEXTS);
    this.#learning = this.#learning.then(async () => {
      await this.#follow(learned);
      this.#refining = this.#refine(learned, generation);
    });
    return this.#learning;
  }

  /** Resolves when what is learned so far is learned as well as it can be. */
  async settle(): Promise<void> {
    await this.#learning;
    await this.#refining;
  }

  classify(text: string, candidates: readonly SkillId[]): TextVerdict {
    return this.#index?.classify(text, new Set(candidates)) ?? { ranked: [], foreign: false };
  }

  get warnings(): readonly SkillWarning[] {
    return this.#index?.warnings ?? [];
  }

  async #follow(learned: readonly LearnedSkill[]): Promise<void> {
    if (learned.length === 0) {
      this.#index = undefined;
      return;
    }
    const { prompt } = this.builder.shapesFor(learned);
    const index = this.#index;
    const before = index?.skills ?? new Map<SkillId, LearnedSkill>();
    const after = new Map(learned.map((skill) => [skill.skillId, skill]));
    const removed = [...before.keys()].filter((id) => !isSameSkill(before.get(id), after.get(id)));
    const added = learned.filter((skill) => !isSameSkill(before.get(skill.skillId), skill));
    const isSmallChange = removed.length + added.length <= before.size / 2;
    if (index?.shape === prompt && !index.isWorn && isSmallChange) {
      await inSlices(this.builder.prepare(prompt, learned));
      if (removed.length + added.length > 0) await inSlices(index.change(removed, added));
    } else {
      this.#index = await inSlices(this.builder.build(prompt, learned));
    }
  }

  async #refine(learned: readonly LearnedSkill[], generation: number): Promise<void> {
    const isWanted = () => this.#generation === generation;
    if (learned.length === 0) return;
    const { best } = this.builder.shapesFor(learned);
    if (this.#index?.shape === best) {
      if (this.#index.isFresh) return;
      await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
    }
    if (!isWanted()) return;
    const index = await inSlices(this.builder.build(best, learned), isWanted);
    if (index !== undefined && isWanted()) this.#index = index;
  }
}
