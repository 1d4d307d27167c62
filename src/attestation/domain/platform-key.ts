import type { Ed25519Jwk } from '../../kernel/ed25519.js';
import type { KeyId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';

/** Each platform key serves exactly one of these, for ever. */
export const PLATFORM_KEY_PURPOSES = [
  'attestation',
  'card',
  'checkpoint',
  'backend-token',
] as const;

export type PlatformKeyPurpose = (typeof PLATFORM_KEY_PURPOSES)[number];

/** Why a key must no longer be trusted: a word, not a text, so that it can be published for ever. */
export const REVOCATION_REASONS = ['key-compromise', 'superseded', 'unspecified'] as const;

export type RevocationReason = (typeof REVOCATION_REASONS)[number];

/** A platform key and its window. Never forgotten. */
export interface PlatformKey {
  readonly keyId: KeyId;
  readonly purpose: PlatformKeyPurpose;
  readonly jwk: Ed25519Jwk;
  /** When the key was recorded; revision of that event in the stream. */
  readonly from: Timestamp;
  readonly addedAtRevision: number;
  /** When another key took over; null while the key may sign. */
  readonly retiredAt: Timestamp | null;
  readonly revoked: PlatformKeyRevocation | null;
}

export interface PlatformKeyRevocation {
  readonly at: Timestamp;
  readonly reason: RevocationReason;
  /** Of the event: signatures recorded before it in the log stay good. */
  readonly revision: number;
}

/** May the key make new signatures? */
export function isUsable(key: PlatformKey): boolean {
  return key.retiredAt === null && key.revoked === null;
}

/** In the order in which they were added. */
export type PlatformKeys = ReadonlyMap<KeyId, PlatformKey>;
