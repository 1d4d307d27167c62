import type { Caller } from '../../kernel/caller.js';
import type { Agent } from './agent.js';

/** By which bond a token speaks for an agent; the acceptance method follows from it. */
export type Acting = 'agent' | 'client' | 'owner';

/**
 * Says whether the caller may act as the agent, and by which bond: `client` when the token's OAuth
 * client is registered with the agent, else `owner` when its principal owns the agent, else `agent`
 * when only the token's `agent` claim binds it. `undefined`: it may not. The tenant must be the
 * agent's, and a token that is bound to another agent never acts, whoever owns it.
 */
export function actingAs(caller: Caller, agent: Agent): Acting | undefined {
  if (caller.tenant !== agent.tenant) return undefined;
  if (caller.agent !== null && caller.agent !== agent.agentId) return undefined;
  if (caller.client !== null && agent.clients.includes(caller.client)) return 'client';
  if (caller.principal === agent.owner) return 'owner';
  return caller.agent === null ? undefined : 'agent';
}
