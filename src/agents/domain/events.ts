import type { Ed25519Jwk } from '../../kernel/ed25519.js';
import type { DomainEvent } from '../../kernel/event.js';
import type { AcceptanceMethod, Transport } from '../../kernel/federated-interaction.js';
import type { AgentId, KeyId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';

/** A key as registered, with the proof that its holder signed. */
export interface RegisteredKey {
  readonly keyId: KeyId;
  readonly jwk: Ed25519Jwk;
  /** RFC 7638. */
  readonly jwkThumbprint: string;
  /** The agent/key-proof statement's moment and its signature by this very key. */
  readonly proof: { readonly signedAt: Timestamp; readonly value: string };
}

/**
 * Which proposals an agent's auto-acceptance takes: an exact task category of the list, no action
 * outside the list, retention up to the ceiling, empty data lists, no human approvals.
 */
export interface AcceptancePolicy {
  readonly taskCategories: readonly string[];
  readonly allowedActions: readonly string[];
  readonly maxRetentionDays: number;
}

/** What entitled somebody to a change of an agent. */
export type ChangeAuthorization =
  | {
      readonly by: 'signature';
      readonly keyId: KeyId;
      readonly signedAt: Timestamp;
      readonly changeHash: string;
      readonly value: string;
    }
  | { readonly by: 'owner-admin' }
  /** Only for agents that had never had a key before the command. */
  | { readonly by: 'token' };

interface Change {
  readonly agentId: AgentId;
  readonly authorization: ChangeAuthorization;
}

export type AgentRegistered = DomainEvent<
  'agent-registered',
  {
    readonly agentId: AgentId;
    readonly tenant: string;
    /** The principal (`sub`) that owns the agent. */
    readonly owner: string;
    /** OAuth client ids whose tokens may act for the agent. */
    readonly clients: readonly string[];
    readonly keys: readonly RegisteredKey[];
    readonly methods: readonly AcceptanceMethod[];
    readonly transport: Transport;
  },
  null
>;

export type AgentKeyAdded = DomainEvent<
  'agent-key-added',
  Change & {
    readonly key: RegisteredKey;
    /** The key whose window ends now, null when the key is added beside the others. */
    readonly replaces: KeyId | null;
  },
  null
>;

export type AgentKeyRevoked = DomainEvent<
  'agent-key-revoked',
  Change & { readonly keyId: KeyId; readonly reasonHash: string | null },
  { readonly reason: string | null }
>;

export type AgentMethodsChanged = DomainEvent<
  'agent-methods-changed',
  Change & { readonly methods: readonly AcceptanceMethod[] },
  null
>;

/** The rules are texts: contract partners are told that there is a policy, not what it would take. */
export type AgentPolicyChanged = DomainEvent<
  'agent-policy-changed',
  Change & { readonly hasPolicy: boolean },
  { readonly policy: AcceptancePolicy | null }
>;

export type AgentClientsChanged = DomainEvent<
  'agent-clients-changed',
  Change & { readonly clients: readonly string[] },
  null
>;

export type AgentTransportChanged = DomainEvent<
  'agent-transport-changed',
  Change & { readonly transport: Transport },
  null
>;

export type AgentRetired = DomainEvent<
  'agent-retired',
  Change & { readonly reasonHash: string | null },
  { readonly reason: string | null }
>;

export type AgentEvent =
  | AgentRegistered
  | AgentKeyAdded
  | AgentKeyRevoked
  | AgentMethodsChanged
  | AgentPolicyChanged
  | AgentClientsChanged
  | AgentTransportChanged
  | AgentRetired;
