import type { JsonObject } from '../kernel/json.js';
import type { Interaction, Revision } from './domain/interaction.js';
import { shownRevision } from './domain/revisions.js';

/**
 * What remains of an interaction whose texts are erased: its wire document without the contracts.
 * Hashes, signatures and times still tell who agreed to one and the same text, and when.
 */
export function remainsOf(interaction: Interaction): JsonObject {
  const shown = shownRevision(interaction);
  const { initiatorTransport, responderTransport } = interaction;
  return {
    interactionId: interaction.interactionId,
    initiatorAgentId: interaction.initiatorAgentId,
    responderAgentId: interaction.responderAgentId,
    parties: interaction.parties,
    status: interaction.status,
    termsHash: shown.termsHash,
    contractRevision: shown.revision,
    contractRevisions: interaction.revisions.map(remainsOfRevision),
    initiatorTransport: { ...initiatorTransport },
    responderTransport: { ...responderTransport },
    createdAt: interaction.createdAt,
    updatedAt: interaction.updatedAt,
    expiresAt: interaction.expiresAt,
    ...(interaction.erasure !== null && { erasure: { ...interaction.erasure } }),
  };
}

function remainsOfRevision(revision: Revision): JsonObject {
  const { previousTermsHash, attestation } = revision;
  return {
    revisionId: revision.revisionId,
    revision: revision.revision,
    ...(previousTermsHash !== null && { previousTermsHash }),
    termsHash: revision.termsHash,
    proposedByAgentId: revision.proposedByAgentId,
    status: revision.status,
    acceptances: Array.from(revision.acceptances.values(), ({ signature, ...acceptance }) => ({
      ...acceptance,
      ...(signature !== undefined && { signature: { ...signature } }),
    })),
    createdAt: revision.createdAt,
    updatedAt: revision.updatedAt,
    ...(attestation !== null && { platformAttestation: { ...attestation } }),
  };
}
