import type { Agent, AgentKey } from './domain/agent.js';

type Stored = Omit<Agent, 'keys'> & { readonly keys: readonly AgentKey[] };

/** An agent as the text that a directory row holds. */
export function storeAgent(agent: Agent): string {
  const stored: Stored = { ...agent, keys: [...agent.keys.values()] };
  return JSON.stringify(stored);
}

/** Reads what {@link storeAgent} wrote, in the same version of the projection. */
export function readStoredAgent(text: string): Agent {
  const stored = JSON.parse(text) as Stored;
  return { ...stored, keys: new Map(stored.keys.map((key) => [key.keyId, key])) };
}
