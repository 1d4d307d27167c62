import type { SkillId } from '../../kernel/ids.js';

/** The layers, in the order in which they are asked. */
export const ROUTING_LAYERS = [
  /** The caller named skill and arguments (skill-direct-invoke): nothing is routed. */
  'direct-invoke',
  /** The task is bound to a skill already. */
  'continuing-task',
  /** One candidate whose input modes hold all media types of the parts. */
  'media-type',
  /** A data part that fits exactly one input schema. */
  'input-schema',
  /** The agent has one capability at all, besides internal ones. */
  'only-capability',
  /** `metadata.skillId`, a hint that is checked like all else. */
  'preferred-skill',
  'text-classifier',
  'model-router',
] as const;

export type RoutingLayer = (typeof ROUTING_LAYERS)[number];

/** A candidate that a layer looked at, with what it thought of it (0 to 1), best first. */
export interface RoutingCandidate {
  readonly skillId: SkillId;
  readonly confidence: number;
}

/** How it was decided what a message is for; recorded on the task. Names only what this caller may use. */
export interface RoutingRecord {
  readonly layer: RoutingLayer;
  readonly candidates: readonly RoutingCandidate[];
  /** 1 when structure decided. */
  readonly confidence: number;
  /** What came into question at all; records of old do not say. */
  readonly considered?: ConsideredSkills;
}

/** Skills that the caller may use and whose input modes fit, in the order of their registration. */
export interface ConsideredSkills {
  /** The first {@link MAX_RECORDED} of them. */
  readonly skillIds: readonly SkillId[];
  readonly total: number;
}

/** Skills that a question names, and that a record lists. */
export const MAX_RECORDED = 5;

/**
 * What a message is for: one skill; or a question to the caller, since nothing is ever guessed; or a
 * skill that is no more.
 */
export type RoutingDecision =
  | { readonly kind: 'routed'; readonly skillId: SkillId; readonly record: RoutingRecord }
  | {
      readonly kind: 'clarify';
      /** Skills this caller may use, the likeliest first: what the question names. */
      readonly among: readonly SkillId[];
      readonly record: RoutingRecord;
    }
  | {
      readonly kind: 'removed';
      readonly skillId: SkillId;
      readonly replacement: SkillId | null;
      readonly record: RoutingRecord;
    };
