import type { AcceptanceMethod } from '../../kernel/federated-interaction.js';
import type { AgentId, KeyId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { AcceptancePolicy } from './events.js';
import type { KeySubmission } from './key-registration.js';
import type { TransportChoice } from './transport.js';

/** A signature by one of the agent's own keys over the `agent/change` statement. */
export interface ChangeSignature {
  readonly keyId: KeyId;
  readonly signedAt: Timestamp;
  /** b64u of 64 bytes. */
  readonly value: string;
}

interface Change {
  readonly agentId: AgentId;
  /** Revision of the agent's stream that the change was written against. */
  readonly expectedRevision: number;
  /** Of the request body as received, its signature left out: what the signature must cover. */
  readonly changeHash: string;
  /** Undefined when the request is not signed. */
  readonly signature: ChangeSignature | undefined;
}

export type AgentCommand =
  | {
      readonly kind: 'register';
      readonly agentId: AgentId;
      /** Undefined: the caller's principal. Naming somebody else needs `agents:admin`. */
      readonly owner: string | undefined;
      readonly clients: readonly string[];
      readonly keys: readonly KeySubmission[];
      /** Undefined: ed25519 with keys, otherwise both OAuth methods. */
      readonly methods: readonly AcceptanceMethod[] | undefined;
      readonly transport: TransportChoice;
    }
  | (Change & {
      readonly kind: 'add-key';
      readonly key: KeySubmission;
      /** The key whose window ends now; null when the new key stands beside the others. */
      readonly replaces: KeyId | null;
    })
  | (Change & {
      readonly kind: 'revoke-key';
      readonly keyId: KeyId;
      readonly reason: string | undefined;
    })
  | (Change & { readonly kind: 'change-methods'; readonly methods: readonly AcceptanceMethod[] })
  | (Change & { readonly kind: 'change-policy'; readonly policy: AcceptancePolicy | null })
  | (Change & { readonly kind: 'change-clients'; readonly clients: readonly string[] })
  | (Change & { readonly kind: 'change-transport'; readonly transport: TransportChoice })
  | (Change & { readonly kind: 'retire'; readonly reason: string | undefined });

export type RegisterAgent = Extract<AgentCommand, { kind: 'register' }>;
export type AgentChange = Exclude<AgentCommand, RegisterAgent>;
