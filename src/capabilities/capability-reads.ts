import { Inject, Injectable } from '@nestjs/common';
import type { HostedAgent } from '../config/hosted-agents.js';
import { HOSTED_AGENTS } from '../config/tokens.js';
import { RejectionException } from '../http/rejection-exception.js';
import type { Caller } from '../kernel/caller.js';
import { parseAgentId, parseSkillId, type AgentId, type SkillId } from '../kernel/ids.js';
import { CapabilityExecution } from './capability-execution.js';
import type { Capability } from './domain/capability.js';

/** A capability as an address names it. */
export interface CapabilityAddress {
  readonly agentId: AgentId;
  readonly skillId: SkillId;
}

/** The way of the controllers to one capability, read from the head of its stream. */
@Injectable()
export class CapabilityReads {
  constructor(
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
    private readonly execution: CapabilityExecution,
  ) {}

  /** Ids of the hosted agents of a tenant: those whose capabilities it may read. */
  agentsOf({ tenant }: Caller): readonly AgentId[] {
    return this.hosted.filter((each) => each.tenant === tenant).map(({ agentId }) => agentId);
  }

  /**
   * Other tenants' capabilities do not exist.
   * @throws {RejectionException} `capability-not-found`
   */
  async find({ agentId, skillId }: CapabilityAddress, caller: Caller): Promise<Capability> {
    const capability = this.agentsOf(caller).includes(agentId)
      ? await this.execution.head(agentId, skillId)
      : undefined;
    if (capability === undefined) throw new RejectionException({ code: 'capability-not-found' });
    return capability;
  }
}

/**
 * Ids that cannot be ids name no capability.
 * @throws {RejectionException} `capability-not-found`
 */
export function addressOf(agentText: string, skillText: string): CapabilityAddress {
  const agentId = parseAgentId(agentText);
  const skillId = parseSkillId(skillText);
  if (agentId === undefined || skillId === undefined) {
    throw new RejectionException({ code: 'capability-not-found' });
  }
  return { agentId, skillId };
}
