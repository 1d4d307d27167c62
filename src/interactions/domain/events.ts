import type { DomainEvent } from '../../kernel/event.js';
import type {
  Acceptance,
  Contract,
  PlatformAttestation,
  Signature,
  Transport,
} from '../../kernel/federated-interaction.js';
import type { AgentId, InteractionId, TermsHash, Uuid } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { OutcomeReport } from './outcome-report.js';

/** One act of one agent, with its signature where the agent signs. */
interface SignedAct {
  readonly interactionId: InteractionId;
  readonly agentId: AgentId;
  /** The statement's moment; null exactly when there is no signature. */
  readonly signedAt: Timestamp | null;
  readonly signature: Signature | null;
}

interface Proposal {
  readonly interactionId: InteractionId;
  readonly revisionId: Uuid;
  readonly revision: number;
  readonly termsHash: TermsHash;
  readonly proposedByAgentId: AgentId;
  /** The proposer's own. */
  readonly acceptance: Acceptance;
}

interface Terms {
  readonly contract: Contract;
}

export type InteractionProposed = DomainEvent<
  'interaction-proposed',
  Proposal & {
    readonly initiatorAgentId: AgentId;
    readonly responderAgentId: AgentId;
    readonly parties: readonly AgentId[];
    /** Public base URL that every statement of this interaction names. */
    readonly audience: string;
    readonly initiatorTransport: Transport;
    readonly responderTransport: Transport;
    readonly expiresAt: Timestamp;
  },
  Terms
>;

/** A counter-proposal while pending, an amendment while active; the open proposal is superseded. */
export type RevisionProposed = DomainEvent<
  'revision-proposed',
  Proposal & { readonly previousTermsHash: TermsHash },
  Terms
>;

export type RevisionAccepted = DomainEvent<
  'revision-accepted',
  {
    readonly interactionId: InteractionId;
    readonly revision: number;
    readonly acceptance: Acceptance;
    /** The stream revision of the agent's policy, for `policy_auto_accept`; null otherwise. */
    readonly policyRevision: number | null;
  },
  null
>;

/** Every party has accepted one hash: the revision is accepted and comes into force. */
export type RevisionAttested = DomainEvent<
  'revision-attested',
  {
    readonly interactionId: InteractionId;
    readonly revision: number;
    readonly termsHash: TermsHash;
    readonly attestation: PlatformAttestation;
  },
  null
>;

export type RevisionRejected = DomainEvent<
  'revision-rejected',
  SignedAct & {
    readonly revision: number;
    readonly termsHash: TermsHash;
    readonly reasonHash: string | null;
  },
  { readonly reason: string | null }
>;

export type RevisionWithdrawn = DomainEvent<
  'revision-withdrawn',
  SignedAct & {
    readonly revision: number;
    readonly termsHash: TermsHash;
    readonly reasonHash: string | null;
  },
  { readonly reason: string | null }
>;

export type InteractionCancelled = DomainEvent<
  'interaction-cancelled',
  SignedAct & {
    /** In force, else of the newest proposal. */
    readonly termsHash: TermsHash;
    readonly reasonHash: string | null;
  },
  { readonly reason: string | null }
>;

export type OutcomeReported = DomainEvent<
  'outcome-reported',
  SignedAct & { readonly termsHash: TermsHash; readonly reportHash: string },
  { readonly report: OutcomeReport }
>;

/** Every party has reported on the terms in force. */
export type InteractionCompleted = DomainEvent<
  'interaction-completed',
  { readonly interactionId: InteractionId; readonly termsHash: TermsHash },
  null
>;

export type InteractionExpired = DomainEvent<
  'interaction-expired',
  {
    readonly interactionId: InteractionId;
    /** The interaction's `expiresAt`, verbatim, however late the event was recorded. */
    readonly effectiveAt: Timestamp;
  },
  null
>;

/** After the end: the party lets the texts go before their retention has run out. */
export type ErasureConsented = DomainEvent<'erasure-consented', SignedAct, null>;

/** Why texts were erased: their retention ran out, or every party consented. */
export type ErasureGround = 'retention' | 'consent';

/** For how long texts were retained after the end, and when that had run out. */
export interface Retention {
  readonly days: number;
  readonly until: Timestamp;
}

/**
 * The key of the texts is destroyed: they are gone, and this is the last event. How long they were to
 * be retained was one of them, and is told here so that whoever has none of them can check the erasure.
 */
export type TextsErased = DomainEvent<
  'texts-erased',
  {
    readonly interactionId: InteractionId;
    readonly ground: ErasureGround;
    /** Null: the ground is consent, or the texts were gone before anybody could record it. */
    readonly retention: Retention | null;
  },
  null
>;

export type InteractionEvent =
  | InteractionProposed
  | RevisionProposed
  | RevisionAccepted
  | RevisionAttested
  | RevisionRejected
  | RevisionWithdrawn
  | InteractionCancelled
  | OutcomeReported
  | InteractionCompleted
  | InteractionExpired
  | ErasureConsented
  | TextsErased;
