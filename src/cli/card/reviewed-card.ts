import type { AgentCard } from '../../capabilities/domain/agent-card.js';
import type { Capability } from '../../capabilities/domain/capability.js';
import {
  agentCard,
  claimsExtendedCard,
  publicCardVersion,
} from '../../capabilities/domain/card.js';
import { declaredExtensions } from '../../capabilities/domain/card-extensions.js';
import { publicSkills } from '../../capabilities/domain/card-skills.js';
import type { HostedAgent } from '../../config/hosted-agents.js';
import type { SkillId } from '../../kernel/ids.js';

/**
 * What a deployment adds to a card is left out of the review: its address, its issuer, the number of
 * the list of skills, the signature. Everything else is as the service would serve it.
 */
const SETTINGS = {
  publicBaseUrl: 'https://countersign.example',
  extensions: declaredExtensions([]),
  openIdConnectUrl: null,
  needsToken: true,
};

/** The public card of an agent with these capabilities, as it is reviewed before a release. */
export function reviewedCard(
  agent: HostedAgent,
  capabilities: ReadonlyMap<SkillId, Capability>,
): AgentCard {
  return agentCard(agent, SETTINGS, {
    version: publicCardVersion(agent, 0),
    skills: publicSkills(capabilities),
    extendedAgentCard: claimsExtendedCard(agent, capabilities),
  });
}
