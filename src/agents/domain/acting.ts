import type { Caller } from '../../kernel/caller.js';
import type { Agent } from './agent.js';

/** A bond by which a token speaks for an agent; the acceptance method follows from it. */
export type Bond = 'client' | 'owner' | 'agent';

/** All bonds by which a token speaks for an agent, at least one, in the order of {@link Bond}. */
export type Acting = readonly [Bond, ...Bond[]];

/**
 * Says whether the caller may act as the agent, and by which bonds: `client` when the token's OAuth
 * client is registered with the agent, `owner` when its principal owns the agent, `agent` when the
 * token's `agent` claim binds it. `undefined`: it may not. The tenant must be the agent's, and a token
 * that is bound to another agent never acts, whoever owns it.
 */
export function actingAs(caller: Caller, agent: Agent): Acting | undefined {
  if (caller.tenant !== agent.tenant) return undefined;
  if (caller.agent !== null && caller.agent !== agent.agentId) return undefined;
  const bonds: Bond[] = [];
  if (caller.client !== null && agent.clients.includes(caller.client)) bonds.push('client');
  if (caller.principal === agent.owner) bonds.push('owner');
  if (caller.agent !== null) bonds.push('agent');
  const [first, ...others] = bonds;
  return first === undefined ? undefined : [first, ...others];
}
