import type { RoutingAssets } from './assets.js';
import type { LearnedSkill } from './learned-skills.js';
import { OverlapIndex } from './overlap-index.js';
import type { IndexShape, SkillIndex } from './skill-index.js';
import type { Steps } from './steps.js';
import { TextIndex } from './text-index.js';
import type { Vectors } from './vectors.js';

/** Texts of one agent that are fitted: the inverse has a number for each pair of them. */
export const MAX_TEXTS = 2_400;
/** Up to here a class of background texts helps; among more skills it does harm. */
const SMALL_REGISTRY = 10;
/** Texts that are encoded before an answer; with more, words answer until all are encoded. */
const PROMPT_TEXTS = 40;

/** Makes indexes of learned skills. */
export class IndexBuilder {
  constructor(
    private readonly assets: RoutingAssets,
    /** undefined: words alone. */
    private readonly vectors: Vectors | undefined,
  ) {}

  /** The shape that takes a moment to make, and the one that is best. */
  shapesFor(learned: readonly LearnedSkill[]): { prompt: IndexShape; best: IndexShape } {
    const texts = learned.reduce((sum, skill) => sum + skill.texts.length, 0);
    if (texts > MAX_TEXTS) return { prompt: 'overlap', best: 'overlap' };
    const size = isSmall(learned) ? 'small' : 'large';
    const best = this.vectors === undefined ? 'words' : 'encoded';
    const isPrompt = this.#withoutVector(learned).length <= PROMPT_TEXTS;
    return { prompt: `${isPrompt ? best : 'words'}-${size}`, best: `${best}-${size}` };
  }

  /** Makes what the shape needs of the texts ready, so that a change takes little more. */
  *prepare(shape: IndexShape, learned: readonly LearnedSkill[]): Steps<void> {
    if (!isEncoded(shape)) return;
    for (const text of this.#withoutVector(learned)) {
      this.vectors?.keep(text);
      yield;
    }
  }

  *build(shape: IndexShape, learned: readonly LearnedSkill[]): Steps<SkillIndex> {
    yield* this.prepare(shape, learned);
    const index = this.#empty(shape, learned);
    yield* index.change([], learned);
    return index;
  }

  #empty(shape: IndexShape, learned: readonly LearnedSkill[]): SkillIndex {
    const corpus = learned.flatMap(({ texts }) => texts);
    if (shape === 'overlap') return new OverlapIndex(corpus, MAX_TEXTS);
    const kind = isEncoded(shape) ? 'encoded' : 'words';
    const background = this.#backgroundOf(learned);
    return new TextIndex(
      {
        shape,
        kind,
        prior: this.assets.priors[kind][isSmall(learned) ? 'small' : 'large'],
        background,
        vectorOf: (text) => (isEncoded(shape) ? this.vectors?.of(text) : undefined),
      },
      [...corpus, ...background],
    );
  }

  #backgroundOf(learned: readonly LearnedSkill[]): readonly string[] {
    return isSmall(learned) ? this.assets.background : [];
  }

  #withoutVector(learned: readonly LearnedSkill[]): string[] {
    const texts = [...learned.flatMap((skill) => skill.texts), ...this.#backgroundOf(learned)];
    return texts.filter((text) => this.vectors?.has(text) === false);
  }
}

function isSmall(learned: readonly LearnedSkill[]): boolean {
  return learned.length <= SMALL_REGISTRY;
}

function isEncoded(shape: IndexShape): boolean {
  return shape === 'encoded-small' || shape === 'encoded-large';
}
