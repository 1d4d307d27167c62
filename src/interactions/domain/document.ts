import { ERASED, type Erased } from '../../kernel/event.js';
import {
  PROTOCOL_VERSION,
  type Acceptance,
  type ContractRevision,
  type FederatedInteraction,
} from '../../kernel/federated-interaction.js';
import type { AgentId } from '../../kernel/ids.js';
import type { Interaction, Revision } from './interaction.js';
import { shownRevision } from './revisions.js';

/**
 * The wire document (`schemas/v0.1`). Members come in one fixed order, so that equal states give equal
 * bytes; acceptances in the order of the log (ids of digits alone first, as JavaScript has it).
 * `erased` once the texts' key is destroyed. Of an interaction whose expiry is not yet recorded, ask
 * after `effectiveAt`.
 */
export function interactionDocument(interaction: Interaction): FederatedInteraction | Erased {
  const revisions: ContractRevision[] = [];
  for (const revision of interaction.revisions) {
    const document = revisionDocument(interaction, revision);
    if (document === ERASED) return ERASED;
    revisions.push(document);
  }
  const shown = shownRevision(interaction);
  if (shown.contract === ERASED) return ERASED;
  return {
    protocolVersion: PROTOCOL_VERSION,
    interactionId: interaction.interactionId,
    initiatorAgentId: interaction.initiatorAgentId,
    responderAgentId: interaction.responderAgentId,
    status: interaction.status,
    contract: shown.contract,
    termsHash: shown.termsHash,
    acceptances: acceptancesMember(shown.acceptances),
    contractRevision: shown.revision,
    contractRevisions: revisions,
    initiatorTransport: interaction.initiatorTransport,
    responderTransport: interaction.responderTransport,
    createdAt: interaction.createdAt,
    updatedAt: interaction.updatedAt,
    expiresAt: interaction.expiresAt,
  };
}

/** One revision's wire document: what the platform attests, plus the attestation once it exists. */
export function revisionDocument(
  interaction: Interaction,
  revision: Revision,
): ContractRevision | Erased {
  if (revision.contract === ERASED) return ERASED;
  return {
    revisionId: revision.revisionId,
    interactionId: interaction.interactionId,
    revision: revision.revision,
    ...(revision.previousTermsHash !== null && { previousTermsHash: revision.previousTermsHash }),
    termsHash: revision.termsHash,
    contract: revision.contract,
    proposedByAgentId: revision.proposedByAgentId,
    status: revision.status,
    acceptances: acceptancesMember(revision.acceptances),
    createdAt: revision.createdAt,
    updatedAt: revision.updatedAt,
    expiresAt: interaction.expiresAt,
    ...(revision.attestation !== null && { platformAttestation: revision.attestation }),
  };
}

/** `fromEntries` defines own members, so that an agent called `constructor` is a name like any other. */
function acceptancesMember(
  acceptances: ReadonlyMap<AgentId, Acceptance>,
): Readonly<Record<string, Acceptance>> {
  return Object.fromEntries(acceptances);
}
