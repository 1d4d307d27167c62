import type { AgentId, InteractionId, KeyId, TermsHash, Uuid } from './ids.js';
import type { Timestamp } from './timestamp.js';

/**
 * The wire documents of federated interactions, protocol version 0.1, as `schemas/v0.1` defines
 * them. Member names are the wire's.
 */

export const PROTOCOL_VERSION = '0.1';

export interface Contract {
  readonly protocolVersion: '0.1';
  readonly interactionId: InteractionId;
  readonly purpose: string;
  readonly parties: readonly AgentId[];
  readonly taskCategory: string;
  readonly requestedOutcome: string;
  readonly successCriteria: readonly string[];
  readonly allowedActions: readonly string[];
  readonly prohibitedActions: readonly string[];
  readonly allowedData: readonly string[];
  readonly prohibitedData: readonly string[];
  readonly deadline?: Timestamp;
  readonly evidenceRequirements: readonly string[];
  readonly delegationRules: readonly string[];
  readonly humanApprovalRequirements: readonly string[];
  readonly factCheckingPolicy: string;
  readonly mediationPolicy: 'none' | 'mutual_consent';
  readonly retentionDays: number;
  readonly completionConditions: readonly string[];
  readonly cancellationConditions: readonly string[];
  /** Always empty: consent lives in acceptances. */
  readonly signatures: Readonly<Record<string, never>>;
}

export interface Signature {
  readonly algorithm: 'Ed25519';
  readonly keyId: KeyId;
  /** b64u of 64 bytes: 86 characters. */
  readonly value: string;
}

export type AcceptanceMethod =
  'oauth_installation' | 'oauth_account' | 'policy_auto_accept' | 'ed25519';

export interface Acceptance {
  readonly agentId: AgentId;
  readonly method: AcceptanceMethod;
  readonly termsHash: TermsHash;
  readonly acceptedAt: Timestamp;
  /** Present exactly when the method is `ed25519`. */
  readonly signature?: Signature;
}

export interface PlatformAttestation extends Signature {
  /** b64u(SHA-256(JCS(revision without platformAttestation))). */
  readonly digest: string;
}

export type RevisionStatus = 'proposed' | 'accepted' | 'rejected' | 'superseded';

export interface ContractRevision {
  readonly revisionId: Uuid;
  readonly interactionId: InteractionId;
  readonly revision: number;
  readonly previousTermsHash?: TermsHash;
  readonly termsHash: TermsHash;
  readonly contract: Contract;
  readonly proposedByAgentId: AgentId;
  readonly status: RevisionStatus;
  /** The map key equals the acceptance's `agentId`. */
  readonly acceptances: Readonly<Record<string, Acceptance>>;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly expiresAt: Timestamp;
  readonly platformAttestation?: PlatformAttestation;
}

/** What the platform attests: an accepted revision before the attestation is added. */
export type UnattestedRevision = Omit<ContractRevision, 'platformAttestation'>;

export interface Transport {
  readonly protocol: 'A2A/1.0';
  readonly protocolBinding: string;
  readonly endpoint: string;
  /** `openclasp` is the schema's word for an endpoint that the platform serves. */
  readonly managedBy: 'agent' | 'openclasp';
}

export type InteractionStatus =
  'pending' | 'active' | 'rejected' | 'expired' | 'cancelled' | 'completed';

export interface FederatedInteraction {
  readonly protocolVersion: '0.1';
  readonly interactionId: InteractionId;
  readonly initiatorAgentId: AgentId;
  readonly responderAgentId: AgentId;
  readonly status: InteractionStatus;
  readonly contract: Contract;
  readonly termsHash: TermsHash;
  readonly acceptances: Readonly<Record<string, Acceptance>>;
  readonly contractRevision: number;
  readonly contractRevisions: readonly ContractRevision[];
  readonly initiatorTransport?: Transport;
  readonly responderTransport: Transport;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly expiresAt: Timestamp;
}
