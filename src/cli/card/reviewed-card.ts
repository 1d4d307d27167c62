import type { AgentCard } from '../../capabilities/domain/agent-card.js';
import type { Capability } from '../../capabilities/domain/capability.js';
import {
  agentCard,
  claimsExtendedCard,
  publicCardVersion,
} from '../../capabilities/domain/card.js';
import { directInvokeDeclarations } from '../../capabilities/domain/card-direct-invoke.js';
import { publicSkills } from '../../capabilities/domain/card-skills.js';
import type { HostedAgent } from '../../config/hosted-agents.js';
import {
  DEFAULT_DIRECT_INVOKE_EXTENSION,
  DEFAULT_TRUST_EXTENSION,
} from '../../config/read-extensions.js';
import type { SkillId } from '../../kernel/ids.js';

/**
 * What a deployment adds to a card is left out of the review: its address, its issuer, the number of
 * the list of skills, the signature. Everything else is as the service would serve it, with the
 * extensions of a deployment that has no settings of its own for them, and with all backends bound of
 * which manifests speak: nothing is loaded for a review.
 */
const SETTINGS = {
  publicBaseUrl: 'https://countersign.example',
  extensions: {
    trustUri: DEFAULT_TRUST_EXTENSION,
    directInvokeUri: DEFAULT_DIRECT_INVOKE_EXTENSION,
    required: [],
  },
  openIdConnectUrl: null,
  needsToken: true,
};

/** The public card of an agent with these capabilities, as it is reviewed before a release. */
export function reviewedCard(
  agent: HostedAgent,
  capabilities: ReadonlyMap<SkillId, Capability>,
): AgentCard {
  const skills = publicSkills(capabilities);
  return agentCard(agent, SETTINGS, {
    version: publicCardVersion(agent, 0),
    skills,
    declarations: directInvokeDeclarations(capabilities, skills, () => true),
    extendedAgentCard: claimsExtendedCard(agent, capabilities),
  });
}
