import type { Contract } from '../../kernel/federated-interaction.js';
import type { AgentId, InteractionId, KeyId, TermsHash } from '../../kernel/ids.js';
import type { Head } from '../../kernel/rejection.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { OutcomeReport } from './outcome-report.js';

/** A signature over the statement that the command amounts to; `at` is `acceptedAt` or `signedAt`. */
export interface Proof {
  readonly keyId: KeyId;
  readonly value: string;
  readonly at: Timestamp;
}

/** `agentId` acts; `proof` is undefined when it does not sign. */
interface Act {
  readonly agentId: AgentId;
  readonly proof: Proof | undefined;
}

interface OnExisting extends Act {
  /** What the command was written against. */
  readonly head: Head;
}

export type InteractionCommand =
  | (Act & {
      readonly kind: 'propose';
      readonly interactionId: InteractionId;
      readonly responderAgentId: AgentId;
      readonly contract: Contract;
      /** Compared with the recomputed hash when given. */
      readonly termsHash: TermsHash | undefined;
      readonly expiresAt: Timestamp;
    })
  | (OnExisting & {
      readonly kind: 'revise';
      readonly contract: Contract;
      readonly termsHash: TermsHash | undefined;
    })
  | (OnExisting & { readonly kind: 'accept' })
  | (OnExisting & { readonly kind: 'reject'; readonly reason: string | undefined })
  | (OnExisting & { readonly kind: 'withdraw'; readonly reason: string | undefined })
  | (OnExisting & { readonly kind: 'cancel'; readonly reason: string | undefined })
  | (OnExisting & { readonly kind: 'complete'; readonly report: OutcomeReport })
  | (Act & {
      readonly kind: 'consent-to-erasure';
      /** Where it is named, it must be how the interaction ended; after the end nothing moves it. */
      readonly head: Head | undefined;
    })
  | {
      /** By the auto-acceptance process, under the policy found when the proposal was recorded. */
      readonly kind: 'auto-accept';
      readonly agentId: AgentId;
      readonly revision: number;
      readonly termsHash: TermsHash;
      readonly policyRevision: number;
    }
  /** By the expiry process, or by whoever is told of it first. */
  | { readonly kind: 'expire' }
  /** By the erasure process, once the key of the texts is destroyed. */
  | {
      readonly kind: 'erase';
      /** As they were noted before that, because it was to be destroyed at their end; else null. */
      readonly retentionDays: number | null;
    };

export type CommandKind = InteractionCommand['kind'];
export type CommandOf<Kind extends CommandKind> = Extract<InteractionCommand, { kind: Kind }>;
