import type { Agent } from '../../agents/domain/agent.js';
import { START, type EventStore, type Position } from '../../event-store/port.js';
import type { AgentId } from '../../kernel/ids.js';

/** Agents at the heads of their streams; unknown ones are absent. */
export type AgentsNow = (agentIds: Iterable<AgentId>) => Promise<ReadonlyMap<AgentId, Agent>>;

/** Those of a long replay are asked for again before they fill the memory. */
const REMEMBERED_AGENTS = 2_000;
/** A client that an agent no longer has, say, goes on replaying no longer than this. */
const REMEMBERED_MS = 1_000;

interface Remembered {
  readonly agent: Agent;
  /** The agent was asked for when the log reached at least so far. */
  readonly asOf: Position;
  readonly askedAt: number;
}

/**
 * Agents as one replay judges by them. It asks for the same ones again and again, so they are remembered
 * for a moment, but by this replay alone: none is as it was before its request came, which has waited for
 * the write that it names; and none as it was before an event that it judges.
 */
export class CurrentAgents {
  readonly #known = new Map<AgentId, Remembered>();

  /** @param elapsed milliseconds on a clock that is never set back */
  constructor(
    private readonly agentsNow: AgentsNow,
    private readonly log: Pick<EventStore, 'head'>,
    private readonly elapsed: () => number = () => performance.now(),
  ) {}

  /** @param through the last of the events that are judged by them */
  async of(
    agentIds: ReadonlySet<AgentId>,
    through: Position = START,
  ): Promise<ReadonlyMap<AgentId, Agent>> {
    const found = new Map<AgentId, Agent>();
    const askedAt = this.elapsed();
    const missing: AgentId[] = [];
    for (const agentId of agentIds) {
      const known = this.#known.get(agentId);
      const isFresh = known !== undefined && askedAt - known.askedAt < REMEMBERED_MS;
      if (isFresh && known.asOf >= through) found.set(agentId, known.agent);
      else missing.push(agentId);
    }
    if (missing.length === 0) return found;
    // Before the agents are asked for: they are as of there, or newer.
    const head = await this.log.head();
    const asOf = head > through ? head : through;
    if (this.#known.size >= REMEMBERED_AGENTS) this.#known.clear();
    for (const [agentId, agent] of await this.agentsNow(missing)) {
      this.#known.set(agentId, { agent, asOf, askedAt });
      found.set(agentId, agent);
    }
    return found;
  }
}
