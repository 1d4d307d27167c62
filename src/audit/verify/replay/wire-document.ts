import type {
  ContractRevision,
  FederatedInteraction,
  UnattestedRevision,
} from '../../../kernel/federated-interaction.js';
import { PROTOCOL_VERSION } from '../../../kernel/federated-interaction.js';
import {
  isEnded,
  shown,
  type ReplayedInteraction,
  type ReplayedRevision,
} from './replayed-interaction.js';

/** The wire document that the events lead to; undefined when a contract is not at hand. */
export function wireDocument(state: ReplayedInteraction): FederatedInteraction | undefined {
  const revisions: ContractRevision[] = [];
  for (const revision of state.revisions) {
    const document = wireRevision(state, revision);
    if (document === undefined) return undefined;
    revisions.push(
      revision.attestation === null
        ? document
        : { ...document, platformAttestation: revision.attestation },
    );
  }
  const standing = shown(state);
  if (standing === undefined || standing.contract === null) return undefined;
  const { initiatorTransport, responderTransport } = state;
  if (initiatorTransport === null || responderTransport === null) return undefined;
  return {
    protocolVersion: PROTOCOL_VERSION,
    interactionId: state.interactionId,
    initiatorAgentId: state.initiatorAgentId,
    responderAgentId: state.responderAgentId,
    status: state.status,
    contract: standing.contract,
    termsHash: standing.termsHash,
    acceptances: Object.fromEntries(standing.acceptances),
    contractRevision: standing.revision,
    contractRevisions: revisions,
    initiatorTransport,
    responderTransport,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    expiresAt: state.expiresAt,
  };
}

/** One revision as the platform attests it. */
export function wireRevision(
  state: ReplayedInteraction,
  revision: ReplayedRevision,
): UnattestedRevision | undefined {
  if (revision.contract === null) return undefined;
  return {
    revisionId: revision.revisionId,
    interactionId: state.interactionId,
    revision: revision.revision,
    ...(revision.previousTermsHash !== null && { previousTermsHash: revision.previousTermsHash }),
    termsHash: revision.termsHash,
    contract: revision.contract,
    proposedByAgentId: revision.proposedByAgentId,
    status: revision.status,
    acceptances: Object.fromEntries(revision.acceptances),
    createdAt: revision.createdAt,
    updatedAt: revision.updatedAt,
    expiresAt: state.expiresAt,
  };
}

/** The document as it reads from `expiresAt` on while the expiry is not recorded yet. */
export function expiredDocument(state: ReplayedInteraction): FederatedInteraction | undefined {
  if (isEnded(state)) return undefined;
  const at = state.expiresAt;
  return wireDocument({
    ...state,
    status: 'expired',
    updatedAt: at,
    revisions: state.revisions.map((revision) =>
      revision.status === 'proposed'
        ? { ...revision, status: 'rejected', updatedAt: at }
        : revision,
    ),
  });
}
