import type { AgentId, SkillId } from '../../src/kernel/ids.js';
import type { TextClassifier, TextVerdict } from '../../src/a2a/routing/text-classifier.js';
import type { TurnHolder } from '../../src/kernel/fair-turns.js';
import type { RoutingCase } from './routing-data.js';

/** Confidence from which a text is routed. */
const THRESHOLD = 0.6;
const BINS = 10;

export interface Judged {
  readonly expected: SkillId | null;
  readonly verdict: TextVerdict;
}

export async function judge(
  classifier: TextClassifier,
  agentId: AgentId,
  cases: readonly RoutingCase[],
  candidates: readonly SkillId[],
): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const { text, skill } of cases) {
    judged.push({
      expected: skill,
      verdict: await classifier.classify(agentId, text, candidates, NOBODY),
    });
  }
  return judged;
}

/** One after the other, no text waits for another. */
const NOBODY: TurnHolder = { tenant: '', caller: '' };

const confidence = ({ verdict }: Judged): number => verdict.ranked[0]?.confidence ?? 0;
const isRight = ({ expected, verdict }: Judged): boolean => verdict.ranked[0]?.skillId === expected;
export const isRouted = (judged: Judged): boolean =>
  !judged.verdict.foreign && confidence(judged) >= THRESHOLD;

export function share<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return items.filter(holds).length / items.length;
}

export interface Quality {
  /** Of the texts for a skill: the best candidate is right, whatever the confidence. */
  readonly accuracy: number;
  /** Of the texts for a skill: routed. */
  readonly coverage: number;
  /** Of all that is routed: right. */
  readonly precision: number;
  /** Of the texts for none: asked back; NaN without such texts. */
  readonly outOfScopeRecall: number;
  /** Mean distance between confidence and how often it was right, over ten equal intervals. */
  readonly calibrationError: number;
}

export function qualityOf(judged: readonly Judged[]): Quality {
  const meant = judged.filter(({ expected }) => expected !== null);
  const strangers = judged.filter(({ expected }) => expected === null);
  let error = 0;
  for (let bin = 0; bin < BINS; bin++) {
    const inside = judged.filter(
      (one) => Math.min(BINS - 1, Math.floor(confidence(one) * BINS)) === bin,
    );
    const sum = inside.reduce((total, one) => total + confidence(one), 0);
    error += Math.abs(sum - inside.filter(isRight).length) / judged.length;
  }
  return {
    accuracy: share(meant, isRight),
    coverage: share(meant, isRouted),
    precision: share(judged.filter(isRouted), isRight),
    outOfScopeRecall: share(strangers, (one) => !isRouted(one)),
    calibrationError: error,
  };
}
