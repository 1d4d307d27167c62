import { LRUCache } from 'lru-cache';
import type { Agent } from '../../agents/domain/agent.js';
import type { AgentId } from '../../kernel/ids.js';

/** Agents at the heads of their streams; unknown ones are absent. */
export type AgentsNow = (agentIds: Iterable<AgentId>) => Promise<ReadonlyMap<AgentId, Agent>>;

const REMEMBERED_AGENTS = 2_000;
/** A client that an agent no longer has, say, replays no longer than this. */
const REMEMBERED_MS = 1_000;

/** Agents as they were a moment ago: a replay asks for the same ones again and again. */
export class CurrentAgents {
  readonly #known = new LRUCache<AgentId, Agent>({ max: REMEMBERED_AGENTS, ttl: REMEMBERED_MS });

  constructor(private readonly agentsNow: AgentsNow) {}

  async of(agentIds: ReadonlySet<AgentId>): Promise<ReadonlyMap<AgentId, Agent>> {
    const found = new Map<AgentId, Agent>();
    const missing: AgentId[] = [];
    for (const agentId of agentIds) {
      const known = this.#known.get(agentId);
      if (known === undefined) missing.push(agentId);
      else found.set(agentId, known);
    }
    if (missing.length === 0) return found;
    for (const [agentId, agent] of await this.agentsNow(missing)) {
      this.#known.set(agentId, agent);
      found.set(agentId, agent);
    }
    return found;
  }
}
