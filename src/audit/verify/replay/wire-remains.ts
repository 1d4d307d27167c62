import { shown, type ReplayedInteraction, type ReplayedRevision } from './replayed-interaction.js';

/**
 * What remains of an interaction once its texts are erased, as its events have it: the wire document without
 * the contracts. When and why they were erased is not among it.
 */
export function wireRemains(state: ReplayedInteraction): object {
  const standing = shown(state);
  return {
    interactionId: state.interactionId,
    initiatorAgentId: state.initiatorAgentId,
    responderAgentId: state.responderAgentId,
    parties: state.parties,
    status: state.status,
    termsHash: standing?.termsHash,
    contractRevision: standing?.revision,
    contractRevisions: state.revisions.map(remainsOfRevision),
    initiatorTransport: state.initiatorTransport,
    responderTransport: state.responderTransport,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    expiresAt: state.expiresAt,
  };
}

function remainsOfRevision(revision: ReplayedRevision): object {
  const { previousTermsHash, attestation } = revision;
  return {
    revisionId: revision.revisionId,
    revision: revision.revision,
    ...(previousTermsHash !== null && { previousTermsHash }),
    termsHash: revision.termsHash,
    proposedByAgentId: revision.proposedByAgentId,
    status: revision.status,
    acceptances: [...revision.acceptances.values()],
    createdAt: revision.createdAt,
    updatedAt: revision.updatedAt,
    ...(attestation !== null && { platformAttestation: attestation }),
  };
}
