import { ApiProperty } from '@nestjs/swagger';
import type { Ed25519Jwk } from '../kernel/ed25519.js';
import {
  isUsable,
  PLATFORM_KEY_PURPOSES,
  type PlatformKey,
  type PlatformKeyPurpose,
  type PlatformKeys,
} from './domain/platform-key.js';

/** A platform key as it is published; the form that `countersign verify` takes. */
export class PlatformKeyDocument {
  @ApiProperty()
  readonly keyId!: string;

  @ApiProperty({ enum: PLATFORM_KEY_PURPOSES })
  readonly purpose!: PlatformKeyPurpose;

  @ApiProperty({
    type: 'object',
    properties: {
      kty: { type: 'string', enum: ['OKP'] },
      crv: { type: 'string', enum: ['Ed25519'] },
      x: { type: 'string', description: 'base64url of 32 bytes' },
    },
    required: ['kty', 'crv', 'x'],
    additionalProperties: false,
  })
  readonly jwk!: Ed25519Jwk;

  @ApiProperty({ format: 'date-time', description: 'Begin of the window, inclusive' })
  readonly from!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'End of the window, exclusive; null while the key may sign',
  })
  readonly until!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When the key was revoked, null otherwise. What the log holds before its revocation stays good.',
  })
  readonly revoked!: string | null;
}

export function platformKeyDocument(key: PlatformKey): PlatformKeyDocument {
  const { keyId, purpose, jwk, from, retiredAt, revoked } = key;
  // Retirement comes first where both happened: a retired key makes no signatures.
  return {
    keyId,
    purpose,
    jwk,
    from,
    until: retiredAt ?? revoked?.at ?? null,
    revoked: revoked?.at ?? null,
  };
}

/**
 * A JWK Set (RFC 7517) of the keys that verify what others fetch or are sent: the tokens of backends,
 * by keys in use, and agent cards, also by keys that retired, since a card outlives its signing.
 */
export function publishedJwks(keys: PlatformKeys): { readonly keys: readonly object[] } {
  return {
    keys: [...keys.values()]
      .filter(isPublished)
      .map(({ keyId, jwk }) => ({ ...jwk, kid: keyId, use: 'sig', alg: 'EdDSA' })),
  };
}

function isPublished(key: PlatformKey): boolean {
  switch (key.purpose) {
    case 'backend-token':
      return isUsable(key);
    case 'card':
      return key.revoked === null;
    case 'attestation':
    case 'checkpoint':
      return false;
  }
}
