import type { SkillId } from '../../../kernel/ids.js';
import type { SkillWarning, TextVerdict } from '../text-classifier.js';
import { calibrate, type Calibration } from './calibration.js';
import { classesOf, NONE, type Classes } from './classes.js';
import { bestSkill, shares, type Prior, type Scores } from './confidence.js';
import { KernelTexts, type KernelKind, type KernelText } from './kernel.js';
import { LeaveOneOut, type DualWeights } from './leave-one-out.js';
import type { LearnedSkill } from './learned-skills.js';
import { RidgeInverse } from './ridge.js';
import { MAX_RANKED, type IndexShape, type SkillIndex } from './skill-index.js';
import type { Steps } from './steps.js';
import { TermStatistics } from './term-statistics.js';

const LAMBDA = 0.5;
/** Texts that enter the inverse together. */
const BLOCK = 32;

/** What answers: nothing of it changes while the next one is made. */
interface Answering {
  readonly classes: Classes;
  readonly weights: DualWeights;
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
 * Changes make the inverse exact for the new texts; only the rarity of terms stays as it was when
 * the index was built.
 */
export class TextIndex implements SkillIndex {
  private readonly texts: KernelTexts;
  private readonly ridge: RidgeInverse;
  private readonly learned = new Map<SkillId, LearnedSkill>();
  private readonly rowsOf = new Map<SkillId | typeof NONE, number[]>();
  private answering: Answering | undefined;
  private changes = 0;

  constructor(
    private readonly settings: IndexSettings,
    corpus: readonly string[],
  ) {
    this.texts = new KernelTexts(settings.kind, new TermStatistics(corpus));
    this.ridge = new RidgeInverse(LAMBDA, Math.max(1, corpus.length));
  }

  get shape(): IndexShape {
    return this.settings.shape;
  }

  get skills(): ReadonlyMap<SkillId, LearnedSkill> {
    return this.learned;
  }

  get isFresh(): boolean {
    return this.changes === 1;
  }

  *change(removed: readonly SkillId[], added: readonly LearnedSkill[]): Steps<void> {
    const gone = removed.flatMap((skillId) => this.rowsOf.get(skillId) ?? []);
    for (const skillId of removed) {
      this.rowsOf.delete(skillId);
      this.learned.delete(skillId);
    }
    for (let at = 0; at < gone.length; at += BLOCK) {
      yield* this.ridge.remove(gone.slice(at, at + BLOCK));
    }
    const texts: string[] = [];
    const append = (key: SkillId | typeof NONE, ownTexts: readonly string[]) => {
      const start = this.ridge.size + texts.length;
      this.rowsOf.set(
        key,
        ownTexts.map((_, i) => start + i),
      );
      texts.push(...ownTexts);
    };
    for (const skill of added) {
      this.learned.set(skill.skillId, skill);
      append(skill.skillId, skill.texts);
    }
    const { background } = this.settings;
    if (this.changes === 0 && background.length > 0) append(NONE, background);
    this.changes++;
    for (let at = 0; at < texts.length; at += BLOCK)
      yield* this.append(texts.slice(at, at + BLOCK));
    const classes = classesOf(new Map(this.rowsOf), this.ridge.size);
    const weights = yield* this.dualWeights(classes);
    const leaveOut = new LeaveOneOut(this.ridge, weights, classes);
    const learned = [...this.learned.values()];
    const calibration = yield* calibrate(learned, classes, leaveOut, this.settings.prior);
    this.answering = { classes, weights, calibration };
  }

  classify(text: string, candidates: ReadonlySet<SkillId>): TextVerdict {
    if (this.answering === undefined || this.learned.size === 0) {
      return { ranked: [], foreign: false };
    }
    const { classes, calibration } = this.answering;
    const scores = this.score(this.kernelText(text), this.answering);
    const best = bestSkill(scores);
    const confidence = calibration.confidence.of(scores);
    const others = shares(scores, best);
    const ranked = classes.skills
      .map((skillId, column) => ({
        skillId,
        confidence:
          column === best
            ? confidence
            : Math.min(confidence, (1 - confidence) * (others[column] as number)),
        score: scores.values[column] as number,
      }))
      .filter(({ skillId }) => candidates.has(skillId))
      .sort((a, b) => b.score - a.score)
      .slice(0, MAX_RANKED)
      .map((entry) => ({ skillId: entry.skillId, confidence: entry.confidence }));
    const likeliest = classes.skills[best];
    return { ranked, foreign: likeliest !== undefined && !candidates.has(likeliest) };
  }

  get warnings(): readonly SkillWarning[] {
    return this.answering?.calibration.warnings ?? [];
  }

  private score(text: KernelText, { classes, weights }: Answering): Scores {
    const { columns, columnOf, skills } = classes;
    const kernel = this.texts.compare(text, columnOf.length);
    const values = new Float32Array(columns);
    for (let row = 0; row < columnOf.length; row++) {
      if ((columnOf[row] as number) < 0) continue;
      const similarity = kernel[row] as number;
      const start = row * columns;
      for (let column = 0; column < columns; column++) {
        values[column] =
          (values[column] as number) + similarity * (weights[start + column] as number);
      }
    }
    return { values, skills: skills.length };
  }

  private kernelText(text: string): KernelText {
    return { text, vector: this.settings.vectorOf(text) };
  }

  private *append(texts: readonly string[]): Steps<void> {
    const count = texts.length;
    const before = this.ridge.size;
    const added = texts.map((text) => this.kernelText(text));
    this.texts.append(added);
    const cross = new Float64Array(before * count);
    const own = new Float64Array(count * count);
    for (const [i, text] of added.entries()) {
      const kernel = this.texts.compare(text);
      for (let row = 0; row < before; row++) cross[row * count + i] = kernel[row] as number;
      for (let j = 0; j < count; j++) own[i * count + j] = kernel[before + j] as number;
      yield;
    }
    yield* this.ridge.add(cross, own, count);
  }

  /** Inverse times the indicators of the classes. */
  private *dualWeights({ columnOf, columns }: Classes): Steps<DualWeights> {
    const rows = columnOf.length;
    const weights = new Float32Array(rows * columns);
    for (let row = 0; row < rows; row++) {
      const inverse = this.ridge.row(row);
      for (let other = 0; other < rows; other++) {
        const column = columnOf[other] as number;
        if (column < 0) continue;
        const at = row * columns + column;
        weights[at] = (weights[at] as number) + (inverse[other] as number);
      }
      yield;
    }
    return weights;
  }
}
