import type { SkillId } from '../../../kernel/ids.js';
import type { SkillWarning } from '../text-classifier.js';
import { bestSkill, Confidence, features, type Prior, type Sample } from './confidence.js';
import type { Classes } from './classes.js';
import type { LeaveOneOut } from './leave-one-out.js';
import type { LearnedSkill } from './learned-skills.js';
import type { Steps } from './steps.js';

/** With fewer examples, leaving one out takes too much to say what the rest can do. */
const ENOUGH_EXAMPLES = 3;
/** Texts for none of the skills, against those for one of them, that confidence reckons with. */
const STRANGER_WEIGHT = 0.25;
/** Texts of one skill that are taken for another before it is worth a word. */
const CONFUSIONS_TO_WARN = 2;
const MAX_OVERLAPS = 1_000;

export interface Calibration {
  readonly confidence: Confidence;
  readonly warnings: readonly SkillWarning[];
}

/**
 * Confidence without held-out data: each example is scored as if it had not been learned, and as a
 * stranger by the skills but its own. The mistakes that this shows are warnings.
 */
export function* calibrate(
  learned: readonly LearnedSkill[],
  classes: Classes,
  leaveOut: LeaveOneOut,
  prior: Prior,
): Steps<Calibration> {
  const samples: Sample[] = [];
  const confusions = new Map<string, number>();
  const likeness: number[] = [];
  const columnOfSkill = new Map(classes.skills.map((skillId, column) => [skillId, column]));
  for (const { skillId, texts } of learned) {
    const rows = classes.rowsOf.get(skillId) ?? [];
    const own = columnOfSkill.get(skillId);
    const isCounted = texts.length > ENOUGH_EXAMPLES;
    if (classes.skills.length > 1) {
      leaveOut.wholeClass(rows).forEach((scores, i) => {
        likeness.push(Math.max(0, features(scores)[0]));
        if (isCounted && i > 0) {
          samples.push({ features: features(scores), isRight: false, weight: STRANGER_WEIGHT });
        }
      });
    }
    for (const row of rows.slice(1)) {
      const scores = leaveOut.text(row);
      const best = bestSkill(scores);
      const isRight = best === own;
      if (isCounted) samples.push({ features: features(scores), isRight, weight: 1 });
      if (isRight) continue;
      const pair = JSON.stringify([skillId, classes.skills[best]]);
      confusions.set(pair, (confusions.get(pair) ?? 0) + 1);
    }
    yield;
  }
  const examples = mean(learned.map(({ texts }) => texts.length - 1));
  return {
    confidence: new Confidence(prior, examples, mean(likeness), samples),
    warnings: [...fewExamples(learned), ...overlaps(confusions)],
  };
}

/** Skills of which too little is known to be sure of. */
export function* fewExamples(learned: Iterable<LearnedSkill>): Generator<SkillWarning> {
  for (const { skillId, examples } of learned) {
    if (examples < ENOUGH_EXAMPLES) yield { code: 'few-examples', skillId, examples };
  }
}

function overlaps(confusions: ReadonlyMap<string, number>): SkillWarning[] {
  return [...confusions]
    .filter(([, count]) => count >= CONFUSIONS_TO_WARN)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_OVERLAPS)
    .map(([pair, count]) => {
      const [skillId, other] = JSON.parse(pair) as [SkillId, SkillId];
      return { code: 'skills-overlap', skillId, with: other, confusions: count };
    });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
