import type { SkillId } from '../../../kernel/ids.js';
import type { SkillWarning, TextVerdict } from '../text-classifier.js';
import { calibrate, type Calibration } from './calibration.js';
import { classesOf, NONE, type Classes } from './classes.js';
import { bestSkill, shares, type Prior, type Scores } from './confidence.js';
import { KernelTexts, type KernelKind, type KernelText } from './kernel.js';
import { LeaveOneOut } from './leave-one-out.js';
import type { LearnedSkill } from './learned-skills.js';
import { RidgeInverse } from './ridge.js';
import { RowProduct } from './row-product.js';
import { MAX_DEAD_SHARE, MAX_RANKED, type IndexShape, type SkillIndex } from './skill-index.js';
import type { Steps } from './steps.js';
import { TermStatistics } from './term-statistics.js';

const LAMBDA = 0.5;
/** Texts that enter the inverse together. */
const BLOCK = 8;

/** What answers: nothing of it changes while the next one is made. */
interface Answering {
  readonly classes: Classes;
  /** Takes the kernel of a text to its scores. */
  readonly scoring: RowProduct;
  readonly calibration: Calibration;
}

/** What an index is made for. */
export interface IndexSettings {
  readonly shape: IndexShape;
  readonly kind: KernelKind;
  readonly prior: Prior;
  /** Texts for none of the skills; empty where they would do harm. */
  readonly background: readonly string[];
  /** By text; undefined for `words`. */
  readonly vectorOf: (text: string) => Float32Array | undefined;
}

/**
 * The skills of one agent as a text classifier: kernel ridge regression, one class against the rest.
 * A change is worked in exactly but for two things that wait for the next building: the rarity of
 * terms, and texts that went, which stand for none of the skills until then.
 */
export class TextIndex implements SkillIndex {
  readonly #learned = new Map<SkillId, LearnedSkill>();
  readonly #texts: KernelTexts;
  readonly #ridge = new RidgeInverse(LAMBDA);
  readonly #textOf: string[] = [];
  readonly #rowsOf = new Map<SkillId | typeof NONE, readonly number[]>();
  #answering: Answering | undefined;
  #changes = 0;

  constructor(
    private readonly settings: IndexSettings,
    corpus: readonly string[],
  ) {
    this.#texts = new KernelTexts(settings.kind, new TermStatistics(corpus), corpus.length);
  }

  get shape(): IndexShape {
    return this.settings.shape;
  }

  get skills(): ReadonlyMap<SkillId, LearnedSkill> {
    return this.#learned;
  }

  get isFresh(): boolean {
    return this.#changes === 1;
  }

  get isWorn(): boolean {
    const live = [...this.#rowsOf.values()].reduce((sum, rows) => sum + rows.length, 0);
    return live < this.#ridge.size * (1 - MAX_DEAD_SHARE);
  }

  get warnings(): readonly SkillWarning[] {
    return this.#answering?.calibration.warnings ?? [];
  }

  *change(removed: readonly SkillId[], added: readonly LearnedSkill[]): Steps<void> {
    const { background } = this.settings;
    const free = this.#forget(removed);
    if (this.#changes++ === 0 && background.length > 0) {
      this.#rowsOf.set(NONE, this.#place(background, free));
    }
    for (const skill of added) {
      this.#learned.set(skill.skillId, skill);
      this.#rowsOf.set(skill.skillId, this.#place(skill.texts, free));
    }
    while (this.#ridge.size < this.#textOf.length) {
      yield* this.#append(this.#textOf.slice(this.#ridge.size, this.#ridge.size + BLOCK));
    }
    if (this.#ridge.size === 0) return;
    const classes = classesOf(new Map(this.#rowsOf), this.#ridge.size);
    const weights = yield* this.#ridge.weights(classes);
    const leaveOut = new LeaveOneOut(this.#ridge, weights, classes);
    const learned = [...this.#learned.values()];
    const calibration = yield* calibrate(learned, classes, leaveOut, this.settings.prior);
    const scoring = new RowProduct(weights, this.#ridge.size, classes.columns);
    this.#answering = { classes, scoring, calibration };
  }

  classify(text: string, candidates: ReadonlySet<SkillId>): TextVerdict {
    if (this.#answering === undefined || this.#learned.size === 0) {
      return { ranked: [], foreign: false };
    }
    const { classes, calibration } = this.#answering;
    const scores = this.#score(this.#kernelText(text), this.#answering);
    const best = bestSkill(scores);
    const confidence = calibration.confidence.of(scores);
    const others = shares(scores, best);
    const ranked = Array.from(classes.skills.keys())
      .filter((column) => candidates.has(classes.skills[column] as SkillId))
      .sort((a, b) => (scores.values[b] as number) - (scores.values[a] as number))
      .slice(0, MAX_RANKED)
      .map((column) => ({
        skillId: classes.skills[column] as SkillId,
        confidence:
          column === best
            ? confidence
            : Math.min(confidence, (1 - confidence) * (others[column] as number)),
      }));
    const likeliest = classes.skills[best];
    return { ranked, foreign: likeliest !== undefined && !candidates.has(likeliest) };
  }

  #score(text: KernelText, { classes, scoring }: Answering): Scores {
    const kernel = this.#texts.compare(text, classes.columnOf.length);
    return { values: scoring.multiply(kernel), skills: classes.skills.length };
  }

  #kernelText(text: string): KernelText {
    return { text, vector: this.settings.vectorOf(text) };
  }

  /** Rows of skills that go, by their texts: whoever has such a text takes its row over. */
  #forget(skillIds: readonly SkillId[]): Map<string, number> {
    const free = new Map<string, number>();
    for (const skillId of skillIds) {
      for (const row of this.#rowsOf.get(skillId) ?? []) free.set(this.#textOf[row] as string, row);
      this.#rowsOf.delete(skillId);
      this.#learned.delete(skillId);
    }
    return free;
  }

  /** The row of each text; those of new ones are still to be made. */
  #place(texts: readonly string[], free: Map<string, number>): readonly number[] {
    return texts.map((text) => {
      const row = free.get(text) ?? this.#textOf.push(text) - 1;
      free.delete(text);
      return row;
    });
  }

  *#append(texts: readonly string[]): Steps<void> {
    const kernels: Float32Array[] = [];
    for (const text of texts) {
      const kernelText = this.#kernelText(text);
      this.#texts.append(kernelText);
      kernels.push(this.#texts.compare(kernelText));
      yield;
    }
    yield* this.#ridge.append(kernels);
  }
}
