import type { Erased } from '../../kernel/event.js';
import type {
  Acceptance,
  Contract,
  InteractionStatus,
  PlatformAttestation,
  RevisionStatus,
  Transport,
} from '../../kernel/federated-interaction.js';
import type { AgentId, InteractionId, TermsHash, Uuid } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { ErasureGround } from './events.js';

export interface Revision {
  readonly revisionId: Uuid;
  readonly revision: number;
  readonly previousTermsHash: TermsHash | null;
  readonly termsHash: TermsHash;
  readonly contract: Contract | Erased;
  readonly proposedByAgentId: AgentId;
  readonly status: RevisionStatus;
  readonly acceptances: ReadonlyMap<AgentId, Acceptance>;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly attestation: PlatformAttestation | null;
}

/** The latest rejected or withdrawn proposal, for the operator's question "why". */
export interface LastRejection {
  readonly revision: number;
  readonly byAgentId: AgentId;
  readonly kind: 'rejected' | 'withdrawn';
  readonly at: Timestamp;
  readonly reason: string | null | Erased;
}

export interface Erasure {
  readonly ground: ErasureGround;
  readonly at: Timestamp;
}

export interface Interaction {
  readonly interactionId: InteractionId;
  readonly audience: string;
  readonly initiatorAgentId: AgentId;
  readonly responderAgentId: AgentId;
  readonly parties: readonly AgentId[];
  readonly initiatorTransport: Transport;
  readonly responderTransport: Transport;
  readonly expiresAt: Timestamp;
  readonly status: InteractionStatus;
  /** Since when the interaction has its status. */
  readonly statusSince: Timestamp;
  /** By revision number; index 0 holds revision 1. */
  readonly revisions: readonly Revision[];
  /** Number of the revision in force: the last one attested; null before. */
  readonly inForce: number | null;
  /** Who has reported on the terms in force, and when. An amendment in force empties it. */
  readonly reports: ReadonlyMap<AgentId, Timestamp>;
  readonly lastRejection: LastRejection | null;
  /** Which parties let the texts go, in the order of the log, and when. */
  readonly erasureConsents: ReadonlyMap<AgentId, Timestamp>;
  /** Null: not recorded. The texts may be gone a moment earlier (`isErased`). */
  readonly erasure: Erasure | null;
  /** By which its parties acted, in the order of the log: each serves once. */
  readonly signatures: readonly string[];
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  /** How many events were folded: one more than `streamRevisionOf`, which counts from 0. */
  readonly version: number;
}
