import type { EventEnvelope } from './envelope.js';
import type { FederatedInteraction } from './federated-interaction.js';
import type { InteractionId } from './ids.js';

export const EVIDENCE_BUNDLE = 'countersign/evidence-bundle';

/**
 * Everything that an offline verifier needs of one interaction, in one file. Nothing in it is
 * trusted for being in it: whoever verifies brings a key of the log, or a checkpoint that it keeps.
 * Hashes, keys and signatures are base64url without padding; notes are texts as C2SP writes them.
 */
export interface EvidenceBundle {
  readonly bundle: typeof EVIDENCE_BUNDLE;
  readonly version: 1;
  readonly interactionId: InteractionId;
  /** The platform's public base URL. */
  readonly audience: string;
  /** The signed note (c2sp.org/signed-note) of the checkpoint that all inclusion proofs lead to. */
  readonly checkpoint: string;
  /** From an earlier checkpoint to this one, when it was asked for. */
  readonly consistency: ConsistencyEvidence | null;
  /**
   * By stream name, each from its first event on: the interaction, up to its last event within the
   * checkpoint, and up to the place of that one in the log the agent of each party and
   * `platform-keys`. What came later changes no verdict: every event is judged at its place.
   */
  readonly streams: Readonly<Record<string, readonly EvidenceEntry[]>>;
  /**
   * As `GET /v1/interactions/{id}` answers at the checkpoint; null in a bundle without texts and once
   * they are erased.
   */
  readonly document: FederatedInteraction | null;
  /** b64u of the interaction's 32-byte data key; null for readers without it and once erased. */
  readonly dataKey: string | null;
}

export interface ConsistencyEvidence {
  /** Size of the earlier tree. */
  readonly from: number;
  /** RFC 6962 section 2.1.2. */
  readonly proof: readonly string[];
}

/** One event with its place in the log. */
export type EvidenceEntry = DisclosedEntry | WithheldEntry;

interface PlacedEntry {
  /** Of the leaf, from 0: its place in log order. */
  readonly index: number;
  /** Audit path to the root of the checkpoint's tree, RFC 6962 section 2.1.1. */
  readonly inclusion: readonly string[];
}

export interface DisclosedEntry extends PlacedEntry {
  readonly envelope: EventEnvelope;
}

/**
 * Of a foreign tenant's agent, a change of policy whose rules are not sealed (version 1): that there is
 * an event of this revision is proved, what it says is not told.
 */
export interface WithheldEntry extends PlacedEntry {
  readonly revision: number;
  /** b64u of the leaf's hash. */
  readonly leafHash: string;
}
