import type { Capability } from '../../capabilities/domain/capability.js';
import type { SkillId } from '../../kernel/ids.js';
import type { Candidates } from './candidates.js';
import type { RoutingLayer } from './decision.js';
import type { Weighed } from './judge-text.js';

/** What one layer made of a message; for explanations. Names only what the caller may know. */
export interface RoutingStep {
  readonly layer: RoutingLayer | 'entitlement';
  /** `narrowed`: these candidates are left; `passed`: it is for the next layer to say. */
  readonly outcome: 'decided' | 'narrowed' | 'passed';
  readonly reason: string;
  /** At most {@link MAX_EXPLAINED}. Confidence is null where the layer has no opinion. */
  readonly candidates: readonly { readonly skillId: SkillId; readonly confidence: number | null }[];
  /** How many candidates there were. */
  readonly total: number;
}

/** Where steps are written down when somebody wants to know; they cost nothing otherwise. */
export type Explain = (step: () => RoutingStep) => void;

/** Candidates that a step lists. */
export const MAX_EXPLAINED = 50;

export function entitledStep(candidates: Candidates): RoutingStep {
  const reason = 'What this caller may use, or may be told that it was removed';
  return narrowed('entitlement', reason, candidates);
}

export function fittingStep(candidates: Candidates, mediaTypes: readonly string[]): RoutingStep {
  const types = mediaTypes.map((type) => (type === '' ? 'what is no media type' : type));
  return narrowed('media-type', `Input modes hold ${types.join(', ')}`, candidates);
}

function narrowed(
  layer: RoutingStep['layer'],
  reason: string,
  { usable, gone }: Candidates,
): RoutingStep {
  const candidates = [...usable, ...gone]
    .slice(0, MAX_EXPLAINED)
    .map(({ manifest }) => ({ skillId: manifest.id, confidence: null }));
  return { layer, outcome: 'narrowed', reason, candidates, total: usable.length + gone.length };
}

const STRUCTURE: Readonly<Partial<Record<RoutingLayer, string>>> = {
  'media-type': 'One of several capabilities takes parts of these media types',
  'input-schema': 'A data part fits exactly one input schema',
  'only-capability': 'The agent has one capability at all',
  'preferred-skill': 'A candidate is named by metadata.skillId, or by the answer to a question',
};

export function structureStep(layer: RoutingLayer, found: Capability | undefined): RoutingStep {
  const reason = STRUCTURE[layer] ?? layer;
  return found === undefined
    ? { layer, outcome: 'passed', reason: `Not so: ${reason}`, candidates: [], total: 0 }
    : {
        layer,
        outcome: 'decided',
        reason,
        candidates: [{ skillId: found.manifest.id, confidence: 1 }],
        total: 1,
      };
}

/** @param verdict the choice; or the threshold that was not reached; or why there was nothing to do */
export function byTextStep(
  verdict: Weighed | number | string,
  weighed: readonly Weighed[],
): RoutingStep {
  const [outcome, reason] =
    typeof verdict === 'string'
      ? (['passed', verdict] as const)
      : typeof verdict === 'number'
        ? (['passed', `Nothing that the caller may use is as sure as ${verdict}`] as const)
        : (['decided', 'The text is sure enough'] as const);
  const candidates = weighed.map(({ capability, confidence }) => ({
    skillId: capability.manifest.id,
    confidence,
  }));
  return { layer: 'text-classifier', outcome, reason, candidates, total: candidates.length };
}

export function byModelStep(): RoutingStep {
  return {
    layer: 'model-router',
    outcome: 'passed',
    reason: 'A model would be asked now; an explanation spends none of its budget',
    candidates: [],
    total: 0,
  };
}
