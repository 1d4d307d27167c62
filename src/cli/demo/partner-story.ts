import type { AgentCard } from '@a2a-js/sdk';
import { DEFAULT_DIRECT_INVOKE_EXTENSION as DIRECT_INVOKE } from '../../config/read-extensions.js';
import type { FederatedInteraction } from '../../kernel/federated-interaction.js';
import { isObject, type Json } from '../../kernel/json.js';
import { timestampOf } from '../../kernel/timestamp.js';
import { DAY } from './demo-contract.js';
import {
  playAllowedCall,
  playApprovedCall,
  playExpiredCall,
  playProhibitedCall,
  type PartnerCast,
} from './partner-calls.js';
import { DISPUTE, FINANCE, MATCH, partnerContract, RELEASE } from './partner-contract.js';
import { expectStatus, interaction, type Narrator } from './story.js';

/** The second contract lives so long at least, in milliseconds. */
const BRIEFLY = 3000;

/**
 * The partner's agent negotiates a contract, and calls what it allows, what it prohibits and what a
 * person must approve. Throws at the first surprise.
 */
export async function playPartner(cast: PartnerCast, say: Narrator): Promise<void> {
  say('16. A partner’s agent, in a process of its own, proposes what it may do, and never may');
  const { agentId } = cast.agent;
  expectStatus(await cast.agent.register(), 201);
  const { allowedActions, humanApprovalRequirements, prohibitedActions } = partnerContract();
  say(`   ${agentId}: ${allowedActions.join(', ')}; never ${prohibitedActions.join(', ')}`);
  say(`   a person approves each ${humanApprovalRequirements.join(', ')}`);
  const began = Date.now();
  const contract = await agree(cast, DAY);
  // Long enough to be signed on a slow machine, and over when the rest of the story is.
  const brief = await agree(cast, Math.max(BRIEFLY, 8 * (Date.now() - began)));

  say('17. It reads its card: may the skills be invoked by id and arguments? (RFC section 3.4)');
  const card = await cast.caller.card();
  for (const skillId of [MATCH, DISPUTE, RELEASE]) confirm(card, skillId);
  say(
    `   yes: declared, bound, supported and on the card: ${[MATCH, DISPUTE, RELEASE].join(', ')}`,
  );

  await playAllowedCall(cast, contract, say);
  await playProhibitedCall(cast, contract, say);
  await playApprovedCall(cast, contract, say);
  await playExpiredCall(cast, brief, say);
}

/** A contract that both have signed and the service has attested. */
async function agree(
  { agent, counterpart }: PartnerCast,
  lifetime: number,
): Promise<FederatedInteraction> {
  const expiresAt = timestampOf(Date.now() + lifetime);
  const proposed = interaction(await agent.propose(partnerContract(), FINANCE, expiresAt), 201);
  await counterpart.accept(proposed.interactionId);
  const agreed = interaction(await agent.get(`/v1/interactions/${proposed.interactionId}`), 200);
  const isAttested = agreed.contractRevisions.at(-1)?.platformAttestation !== undefined;
  if (agreed.status !== 'active' || !isAttested) {
    throw new Error(`the contract is ${agreed.status}, attested: ${String(isAttested)}`);
  }
  return agreed;
}

/** RFC skill-direct-invoke section 3.4: what a client confirms before it calls. */
function confirm({ capabilities, skills }: AgentCard, skillId: string): void {
  const declared = capabilities?.extensions.find(({ uri }) => uri === DIRECT_INVOKE);
  if (declared === undefined) throw new Error('(a) the card does not declare the extension');
  const bound = (declared.params as Readonly<Record<string, Json>> | undefined)?.['skills'];
  const entry = isObject(bound) ? bound[skillId] : undefined;
  if (!isObject(entry)) throw new Error(`(b) the card binds no skill ${skillId}`);
  if (entry['directInvokeSupported'] !== true) throw new Error(`(c) ${skillId} is not supported`);
  if (!skills.some(({ id }) => id === skillId)) throw new Error(`(d) the card has no ${skillId}`);
}
