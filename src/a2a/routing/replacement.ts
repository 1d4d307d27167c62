import type { Capability } from '../../capabilities/domain/capability.js';
import { entitlement } from '../../capabilities/domain/entitlement.js';
import type { AgentCapabilities } from '../../capabilities/queries/capability-registry.js';
import type { Caller } from '../../kernel/caller.js';
import type { SkillId } from '../../kernel/ids.js';

/** A replacement may be replaced in its turn, so many times at most. */
const MAX_STEPS = 8;

/**
 * What a caller may use instead of a removed capability: its replacement, or the replacement of that
 * one. Null when there is none, or one on the way does not exist for the caller.
 */
export function usableReplacement(
  capabilities: AgentCapabilities,
  removed: Capability,
  caller: Caller | null,
): SkillId | null {
  let current = removed;
  for (let step = 0; step < MAX_STEPS; step++) {
    const id = current.manifest.replacement;
    const next = id === null ? undefined : capabilities.all.get(id);
    if (next === undefined) return null;
    const found = entitlement(next, caller);
    if (found !== 'removed') return found === 'granted' ? next.manifest.id : null;
    current = next;
  }
  return null;
}
