import type { Caller } from '../../kernel/caller.js';
import type { Capability } from './capability.js';

/**
 * What a caller may do with a capability: `granted`: see and use it; `removed`: it would have been,
 * but is no more, so the caller may be told so and be pointed to the replacement; `none`: for this
 * caller it does not exist.
 */
export type Entitlement = 'granted' | 'removed' | 'none';

/**
 * The one rule behind cards, routing and enforcement. Null is a caller without a token.
 *
 * Internal capabilities are nobody's. A preview is for callers that an operator opted in, whatever
 * its visibility. Otherwise public ones are everybody's, and extended ones are for callers with all
 * required scopes, of a tenant that may.
 */
export function entitlement(capability: Capability, caller: Caller | null): Entitlement {
  if (!mayUse(capability, caller)) return 'none';
  return capability.manifest.state === 'removed' ? 'removed' : 'granted';
}

/** May the caller see and use the capability? False also of a removed one. */
export function entitled(capability: Capability, caller: Caller | null): boolean {
  return entitlement(capability, caller) === 'granted';
}

function mayUse({ manifest, optedIn }: Capability, caller: Caller | null): boolean {
  const { visibility, state, requiresScopes, tenants } = manifest;
  if (visibility === 'internal') return false;
  const agent = caller?.agent ?? null;
  if (state === 'preview' && (agent === null || !optedIn.has(agent))) return false;
  if (visibility === 'public') return true;
  return (
    caller !== null &&
    requiresScopes.every((scope) => caller.allScopes.has(scope)) &&
    (tenants === '*' || tenants.includes(caller.tenant))
  );
}
