import type { Ed25519Jwk } from '../../kernel/ed25519.js';
import type { DomainEvent } from '../../kernel/event.js';
import type { KeyId } from '../../kernel/ids.js';
import type { PlatformKeyPurpose, RevocationReason } from './platform-key.js';

/** The one stream that tells the history of all platform keys. */
export const PLATFORM_KEYS_STREAM = 'platform-keys';

export type PlatformKeyAdded = DomainEvent<
  'platform-key-added',
  {
    readonly keyId: KeyId;
    readonly purpose: PlatformKeyPurpose;
    readonly jwk: Ed25519Jwk;
    /** RFC 7638. */
    readonly jwkThumbprint: string;
  },
  null
>;

/** Another key of the same purpose took over: no new signatures, old ones stay good. */
export type PlatformKeyRetired = DomainEvent<
  'platform-key-retired',
  { readonly keyId: KeyId; readonly replacedBy: KeyId },
  null
>;

/** Signatures recorded after this event are not to be trusted, whatever dates they bear. */
export type PlatformKeyRevoked = DomainEvent<
  'platform-key-revoked',
  { readonly keyId: KeyId; readonly reason: RevocationReason },
  null
>;

export type PlatformKeyEvent = PlatformKeyAdded | PlatformKeyRetired | PlatformKeyRevoked;
