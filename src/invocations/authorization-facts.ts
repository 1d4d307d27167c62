import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from '../agents/domain/agent.js';
import { AgentAt } from '../agents/queries/agent-at.js';
import { AgentAtHandler } from '../agents/queries/agent-at-handler.js';
import { AgentHeads } from '../agents/queries/agent-heads.js';
import { AgentHeadsHandler } from '../agents/queries/agent-heads-handler.js';
import type { Capability } from '../capabilities/domain/capability.js';
import type { KnownIdentifiers } from '../capabilities/domain/known-identifiers.js';
import { CapabilityAt } from '../capabilities/queries/capability-at.js';
import { CapabilityAtHandler } from '../capabilities/queries/capability-at-handler.js';
import { CapabilityRegistry } from '../capabilities/queries/capability-registry.js';
import { Vocabulary } from '../capabilities/queries/vocabulary.js';
import { hostTenant, type HostedAgent } from '../config/hosted-agents.js';
import { CLOCK, HOSTED_AGENTS } from '../config/tokens.js';
import {
  ContractsBetween,
  type ContractsOfPair,
  type InteractionSnapshot,
} from '../interactions/queries/contracts-between.js';
import type { AgentId, InteractionId, SkillId } from '../kernel/ids.js';
import { timestampOf, type Clock, type Timestamp } from '../kernel/timestamp.js';

/** What a decision is made from, as the streams tell it at one moment. */
export interface Facts {
  capability(agentId: AgentId, skillId: SkillId): Promise<Capability | undefined>;
  /**
   * Of those that are registered. Whoever is registered under the id of an agent that is hosted for
   * another tenant is not that agent: by today's configuration, since there is no record of it.
   */
  agents(ids: readonly AgentId[]): Promise<ReadonlyMap<AgentId, Agent>>;
  contracts(one: AgentId, other: AgentId): Promise<ContractsOfPair>;
  named(
    one: AgentId,
    other: AgentId,
    interactionId: InteractionId,
  ): Promise<InteractionSnapshot | undefined>;
  /**
   * The words of the hosted agent. They carry their moments: terms are understood as when they were
   * proposed, whenever that is asked.
   */
  vocabulary(agentId: AgentId): KnownIdentifiers;
  /** To be asked when all else has been: what has expired meanwhile counts as expired. */
  now(): Timestamp;
}

/** Where decisions find what they rest on, in the other contexts. */
@Injectable()
export class AuthorizationFacts {
  constructor(
    private readonly registry: CapabilityRegistry,
    private readonly capabilityAt: CapabilityAtHandler,
    // Asked for every call under a contract: the bus would cost more than the answer.
    private readonly agentHeads: AgentHeadsHandler,
    private readonly agentAt: AgentAtHandler,
    private readonly between: ContractsBetween,
    private readonly vocabulary: Vocabulary,
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** As everything stands when it is asked. */
  readonly atHead: Facts = {
    capability: async (agentId, skillId) =>
      (await this.registry.head(agentId, skillId))?.capability,
    agents: async (ids) =>
      this.#genuine((await this.agentHeads.execute(new AgentHeads(ids))).values()),
    contracts: (one, other) => this.between.now(one, other),
    named: (one, other, interactionId) => this.between.named(one, other, interactionId),
    vocabulary: (agentId) => this.vocabulary.of(agentId),
    now: () => timestampOf(this.clock()),
  };

  /** What had been recorded at or before a moment of the past. */
  at(moment: Timestamp): Facts {
    return {
      capability: (agentId, skillId) =>
        this.capabilityAt.execute(new CapabilityAt(agentId, skillId, moment)),
      agents: (ids) => this.#agentsAt(ids, moment),
      contracts: (one, other) => this.between.at(one, other, moment),
      named: (one, other, interactionId) => this.between.named(one, other, interactionId, moment),
      vocabulary: (agentId) => this.vocabulary.of(agentId),
      now: () => moment,
    };
  }

  async #agentsAt(
    ids: readonly AgentId[],
    moment: Timestamp,
  ): Promise<ReadonlyMap<AgentId, Agent>> {
    const agents = await Promise.all(
      ids.map((agentId) => this.agentAt.execute(new AgentAt(agentId, moment))),
    );
    return this.#genuine(agents.filter((agent) => agent !== undefined));
  }

  #genuine(registered: Iterable<Agent>): ReadonlyMap<AgentId, Agent> {
    const agents = new Map<AgentId, Agent>();
    for (const agent of registered) {
      const { agentId, tenant } = agent;
      if ((hostTenant(this.hosted, agentId) ?? tenant) === tenant) agents.set(agentId, agent);
    }
    return agents;
  }
}
