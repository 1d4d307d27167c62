import type { Ed25519Jwk } from '../../../kernel/ed25519.js';
import type { EventEnvelope } from '../../../kernel/envelope.js';
import type {
  Acceptance,
  AcceptanceMethod,
  PlatformAttestation,
  Signature,
  Transport,
} from '../../../kernel/federated-interaction.js';
import type { AgentId, InteractionId, KeyId, TermsHash, Uuid } from '../../../kernel/ids.js';
import type { Timestamp } from '../../../kernel/timestamp.js';

/** The verifier's own reading of what the log holds; `event-shapes.ts` makes sure of it. */

export interface ProposalData {
  readonly interactionId: InteractionId;
  readonly revisionId: Uuid;
  readonly revision: number;
  readonly termsHash: TermsHash;
  readonly proposedByAgentId: AgentId;
  readonly acceptance: Acceptance;
}

export interface FirstProposalData extends ProposalData {
  readonly initiatorAgentId: AgentId;
  readonly responderAgentId: AgentId;
  readonly parties: readonly AgentId[];
  readonly audience: string;
  readonly initiatorTransport: Transport;
  readonly responderTransport: Transport;
  readonly expiresAt: Timestamp;
}

export interface ActData {
  readonly interactionId: InteractionId;
  readonly agentId: AgentId;
  readonly signedAt: Timestamp | null;
  readonly signature: Signature | null;
}

interface OfInteraction<Type extends string, Data> {
  readonly type: Type;
  readonly data: Data;
}

type TermsEnd = ActData & {
  readonly revision: number;
  readonly termsHash: TermsHash;
  readonly reasonHash: string | null;
};

export type InteractionEvent =
  | OfInteraction<'interaction-proposed', FirstProposalData>
  | OfInteraction<'revision-proposed', ProposalData & { readonly previousTermsHash: TermsHash }>
  | OfInteraction<
      'revision-accepted',
      {
        readonly interactionId: InteractionId;
        readonly revision: number;
        readonly acceptance: Acceptance;
        readonly policyRevision: number | null;
      }
    >
  | OfInteraction<
      'revision-attested',
      {
        readonly interactionId: InteractionId;
        readonly revision: number;
        readonly termsHash: TermsHash;
        readonly attestation: PlatformAttestation;
      }
    >
  | OfInteraction<'revision-rejected', TermsEnd>
  | OfInteraction<'revision-withdrawn', TermsEnd>
  | OfInteraction<
      'interaction-cancelled',
      ActData & { readonly termsHash: TermsHash; readonly reasonHash: string | null }
    >
  | OfInteraction<
      'outcome-reported',
      ActData & { readonly termsHash: TermsHash; readonly reportHash: string }
    >
  | OfInteraction<
      'interaction-completed',
      { readonly interactionId: InteractionId; readonly termsHash: TermsHash }
    >
  | OfInteraction<
      'interaction-expired',
      { readonly interactionId: InteractionId; readonly effectiveAt: Timestamp }
    >
  | OfInteraction<'erasure-consented', ActData>
  | OfInteraction<
      'texts-erased',
      {
        readonly interactionId: InteractionId;
        readonly ground: 'retention' | 'consent';
        /** Since version 2; null where the ground is consent, and where nobody could read it any more. */
        readonly retention?: { readonly days: number; readonly until: Timestamp } | null;
      }
    >;

export interface RegisteredKeyData {
  readonly keyId: KeyId;
  readonly jwk: Ed25519Jwk;
  readonly jwkThumbprint: string;
  readonly proof: { readonly signedAt: Timestamp; readonly value: string };
}

export type Authorization =
  | {
      readonly by: 'signature';
      readonly keyId: KeyId;
      readonly signedAt: Timestamp;
      readonly changeHash: string;
      readonly value: string;
    }
  | { readonly by: 'owner-admin' | 'token' };

interface Changed<Type extends string, Data> {
  readonly type: Type;
  readonly data: Data & { readonly agentId: AgentId; readonly authorization: Authorization };
}

export interface Policy {
  readonly taskCategories: readonly string[];
  readonly allowedActions: readonly string[];
  readonly maxRetentionDays: number;
}

export type AgentEvent =
  | {
      readonly type: 'agent-registered';
      readonly data: {
        readonly agentId: AgentId;
        readonly keys: readonly RegisteredKeyData[];
        readonly methods: readonly AcceptanceMethod[];
        readonly transport: Transport;
      };
    }
  | Changed<'agent-key-added', { readonly key: RegisteredKeyData; readonly replaces: KeyId | null }>
  | Changed<'agent-key-revoked', { readonly keyId: KeyId; readonly reasonHash: string | null }>
  | Changed<'agent-methods-changed', { readonly methods: readonly AcceptanceMethod[] }>
  | Changed<
      'agent-policy-changed',
      /** Version 1 */
      | { readonly policy: Policy | null }
      /** Version 2: the rules are texts */
      | { readonly hasPolicy: boolean }
    >
  | Changed<'agent-clients-changed', { readonly clients: readonly string[] }>
  | Changed<'agent-transport-changed', { readonly transport: Transport }>
  | Changed<'agent-retired', { readonly reasonHash: string | null }>;

export type AgentChangeEvent = Exclude<AgentEvent, { readonly type: 'agent-registered' }>;

export type PlatformKeyEvent =
  | {
      readonly type: 'platform-key-added';
      readonly data: {
        readonly keyId: KeyId;
        readonly purpose: string;
        readonly jwk: Ed25519Jwk;
        readonly jwkThumbprint: string;
      };
    }
  | {
      readonly type: 'platform-key-retired';
      readonly data: { readonly keyId: KeyId; readonly replacedBy: KeyId };
    }
  | { readonly type: 'platform-key-revoked'; readonly data: { readonly keyId: KeyId } };

/** Of an envelope whose data has the shape of its type. */
export function interactionEvent(envelope: EventEnvelope): InteractionEvent {
  return envelope as unknown as InteractionEvent;
}

export function agentEvent(envelope: EventEnvelope): AgentEvent {
  return envelope as unknown as AgentEvent;
}

export function platformKeyEvent(envelope: EventEnvelope): PlatformKeyEvent {
  return envelope as unknown as PlatformKeyEvent;
}
