import type { AgentEvent } from '../../agents/domain/events.js';
import type { Agent } from '../../agents/domain/agent.js';
import type { Caller } from '../../kernel/caller.js';

/** What of an agent's stream anybody needs who verifies a signature of the agent. */
const KEY_HISTORY: ReadonlySet<string> = new Set([
  'agent-registered',
  'agent-key-added',
  'agent-key-revoked',
] satisfies readonly AgentEvent['type'][]);

/**
 * Which events of a party the caller is told: of its own tenant all, of another one those that make
 * the history of its keys. `audit:read-all` knows no foreign tenant. What is not told is proved to
 * exist, and withheld.
 */
export function isToldTo(caller: Caller, agent: Pick<Agent, 'tenant'>): (type: string) => boolean {
  const isOwn = agent.tenant === caller.tenant || caller.scopes.has('audit:read-all');
  return isOwn ? () => true : (type) => KEY_HISTORY.has(type);
}
