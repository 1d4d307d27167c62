import { actingAs } from '../../agents/domain/acting.js';
import type { Agent } from '../../agents/domain/agent.js';
import type { Caller, Scope } from '../../kernel/caller.js';

/**
 * How far a caller sees: `everything`, the interactions with a party of its own `tenant`, or those
 * with a party that it may act `as-party`.
 */
export type Sight = 'everything' | 'tenant' | 'as-party';

const EVERYTHING: readonly Scope[] = ['operator:read', 'audit:read-all'];
const TENANT: readonly Scope[] = ['interactions:read', 'audit:read'];

export function sightOf({ scopes }: Caller): Sight {
  if (EVERYTHING.some((scope) => scopes.has(scope))) return 'everything';
  return TENANT.some((scope) => scopes.has(scope)) ? 'tenant' : 'as-party';
}

/**
 * May the caller read an interaction of these parties? Whoever may not gets `interaction-not-found`,
 * as for one that does not exist.
 */
export function mayRead(caller: Caller, parties: Iterable<Agent>): boolean {
  const sight = sightOf(caller);
  if (sight === 'everything') return true;
  for (const agent of parties) {
    // Who may act as an agent is always of its tenant.
    if (sight === 'tenant' && agent.tenant === caller.tenant) return true;
    if (actingAs(caller, agent) !== undefined) return true;
  }
  return false;
}
