import type { AcceptanceMethod, Transport } from '../../kernel/federated-interaction.js';
import type { AgentId, KeyId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { AcceptancePolicy, RegisteredKey } from './events.js';

/** A key and the window in which it may sign. Never forgotten. */
export interface AgentKey extends RegisteredKey {
  /** Inclusive: when the key was recorded. */
  readonly from: Timestamp;
  /** Exclusive: when a rotation or a revocation ended the window; null while it is open. */
  readonly until: Timestamp | null;
  /** When the key was revoked, null otherwise. */
  readonly revokedAt: Timestamp | null;
}

export interface Agent {
  readonly agentId: AgentId;
  readonly tenant: string;
  readonly owner: string;
  readonly clients: readonly string[];
  readonly keys: ReadonlyMap<KeyId, AgentKey>;
  readonly methods: readonly AcceptanceMethod[];
  /** With the stream revision that set it, so that "still in force" can be told. */
  readonly policy: { readonly rules: AcceptancePolicy; readonly revision: number } | null;
  readonly transport: Transport;
  readonly registeredAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly retiredAt: Timestamp | null;
  /** Revision of the agent's stream: what a change must name. */
  readonly revision: number;
}
