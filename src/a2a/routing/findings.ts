import type { Capability } from '../../capabilities/domain/capability.js';
import type { SkillId } from '../../kernel/ids.js';
import { usableReplacement } from './replacement.js';
import type { Candidates } from './candidates.js';
import {
  MAX_RECORDED,
  type ConsideredSkills,
  type RoutingCandidate,
  type RoutingDecision,
  type RoutingLayer,
} from './decision.js';
import type { Weighed } from './judge-text.js';
import type { RoutingSubject } from './routing-subject.js';

/** What came out of the layers: `chosen` when the last of them was sure. */
export interface Finding {
  readonly layer: RoutingLayer;
  readonly chosen: Weighed | undefined;
  /** What it looked at, best first, as far as it has an opinion. */
  readonly weighed: readonly Weighed[];
}

/** Structure is sure or says nothing. */
export function certain(layer: RoutingLayer, capability: Capability): Finding {
  const chosen = { capability, confidence: 1 };
  return { layer, chosen, weighed: [chosen] };
}

/** What the finding means for the message; undefined when there is nothing to ask about either. */
export function decisionFrom(
  finding: Finding,
  fitting: Candidates,
  { capabilities, caller }: RoutingSubject,
): RoutingDecision | undefined {
  const { layer, chosen, weighed } = finding;
  const candidates = recorded(weighed);
  const considered = consideredOf(fitting);
  if (chosen === undefined) {
    const among = likeliest(weighed, fitting);
    const confidence = candidates[0]?.confidence ?? 0;
    return among.length === 0
      ? undefined
      : { kind: 'clarify', among, record: { layer, candidates, confidence, considered } };
  }
  const { capability, confidence } = chosen;
  const record = { layer, candidates, confidence, considered };
  const skillId = capability.manifest.id;
  if (capability.manifest.state !== 'removed') return { kind: 'routed', skillId, record };
  const replacement = usableReplacement(capabilities, capability, caller);
  return { kind: 'removed', skillId, replacement, record };
}

/** Records name only what the caller may use. */
function recorded(weighed: readonly Weighed[]): readonly RoutingCandidate[] {
  return weighed
    .filter(isUsable)
    .slice(0, MAX_RECORDED)
    .map(({ capability, confidence }) => ({ skillId: capability.manifest.id, confidence }));
}

function consideredOf({ usable }: Candidates): ConsideredSkills {
  const skillIds = usable.slice(0, MAX_RECORDED).map(({ manifest }) => manifest.id);
  return { skillIds, total: usable.length };
}

function likeliest(weighed: readonly Weighed[], { usable }: Candidates): readonly SkillId[] {
  const ranked = weighed.filter(isUsable).map(({ capability }) => capability);
  const ids = new Set(
    [...ranked, ...usable.slice(0, MAX_RECORDED)].map(({ manifest }) => manifest.id),
  );
  return [...ids].slice(0, MAX_RECORDED);
}

function isUsable({ capability }: Weighed): boolean {
  return capability.manifest.state !== 'removed';
}
