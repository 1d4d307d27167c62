import type { Capability } from '../../capabilities/domain/capability.js';
import type { SkillId } from '../../kernel/ids.js';
import type { Candidates } from './candidates.js';
import type { TextVerdict } from './text-classifier.js';

/** A candidate with what a layer thinks of it (0 to 1). */
export interface Weighed {
  readonly capability: Capability;
  readonly confidence: number;
}

/** The verdict on a text in terms of the candidates, best first; others are never believed. */
export function weigh({ usable, gone }: Candidates, verdict: TextVerdict): readonly Weighed[] {
  const ranked = new Map(verdict.ranked.map(({ skillId, confidence }) => [skillId, confidence]));
  const weighed = [...usable, ...gone].flatMap((capability) => {
    const confidence = ranked.get(capability.manifest.id);
    return confidence === undefined ? [] : [{ capability, confidence }];
  });
  return weighed.sort((a, b) => b.confidence - a.confidence);
}

/**
 * What the text is for, when it is sure enough. A removed capability and its replacement are about
 * the same: what is in doubt only between the two counts for the likelier one.
 */
export function sureOf(weighed: readonly Weighed[], threshold: number): Weighed | undefined {
  const [best, ...others] = weighed;
  if (best === undefined) return undefined;
  const kin = others.filter(({ capability }) => areKin(capability, best.capability));
  const confidence = kin.reduce((sum, other) => sum + other.confidence, best.confidence);
  return confidence >= threshold
    ? { capability: best.capability, confidence: Math.min(1, confidence) }
    : undefined;
}

function areKin(a: Capability, b: Capability): boolean {
  return replaces(a, b.manifest.id) || replaces(b, a.manifest.id);
}

function replaces({ manifest }: Capability, id: SkillId): boolean {
  return manifest.state === 'removed' && manifest.replacement === id;
}
