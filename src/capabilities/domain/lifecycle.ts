import type { LifecycleState } from './manifest.js';

/**
 * Where a capability may go from each state: one step at a time and never back. A preview that comes
 * to nothing stays one, with nobody let in: as a tombstone it would be shown to callers who never
 * knew of it. A deprecated one may be given another replacement.
 */
const NEXT = {
  preview: ['ga'],
  ga: ['deprecated'],
  deprecated: ['deprecated', 'removed'],
  removed: [],
} as const satisfies Record<LifecycleState, readonly LifecycleState[]>;

export function mayBecome(from: LifecycleState, to: LifecycleState): boolean {
  return NEXT[from].some((next) => next === to);
}

const ORDER: readonly LifecycleState[] = ['preview', 'ga', 'deprecated', 'removed'];

/** The states to go through, `to` included; empty when it is there, undefined when `to` lies behind. */
export function wayTo(
  from: LifecycleState,
  to: LifecycleState,
): readonly LifecycleState[] | undefined {
  const [start, end] = [ORDER.indexOf(from), ORDER.indexOf(to)];
  return start > end ? undefined : ORDER.slice(start + 1, end + 1);
}
