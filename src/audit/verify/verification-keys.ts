import { parsePublicKey, type Ed25519Jwk } from '../../kernel/ed25519.js';
import { pointerTo } from '../../kernel/json.js';
import type { Fault } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import { validateVerificationKeys, type WireKey } from '../../kernel/wire-schema.js';

/** A key as its source gives it, and what our own look at its point says. */
export interface VerificationKey {
  readonly keyId: string;
  readonly key: Result<Ed25519Jwk, 'key-malformed' | 'key-unsafe-point'>;
  /** Inclusive. */
  readonly from: Timestamp;
  /** Exclusive; null while the key's window is open. */
  readonly until: Timestamp | null;
  readonly revoked: Timestamp | null;
}

export interface PlatformVerificationKey extends VerificationKey {
  readonly purpose: string;
}

/** Keys that are trusted because the caller chose their source, never because a document has them. */
export interface VerificationKeys {
  /** The platform's public base URL: every statement names it. */
  readonly audience: string;
  readonly agents: ReadonlyMap<string, ReadonlyMap<string, VerificationKey>>;
  readonly platform: ReadonlyMap<string, PlatformVerificationKey>;
}

/**
 * Reads `{audience, agents: {id: [{keyId, jwk, from, until, revoked}]}, platform: [{keyId, jwk,
 * purpose, from, until, revoked}]}`; moments are timestamps, `until` and `revoked` may be null, and
 * members beyond these are passed over. A key that is no safe Ed25519 point stays in its place, so
 * that whatever it signed is `failed` and not merely unknown.
 *
 * Refuses with the faults: another shape, two keys of one id.
 */
export function parseVerificationKeys(
  document: unknown,
): Result<VerificationKeys, readonly Fault[]> {
  const parsed = validateVerificationKeys(document);
  if (!parsed.ok) return parsed;
  const { audience, agents, platform } = parsed.value;
  const faults: Fault[] = [];
  const agentKeys = new Map<string, ReadonlyMap<string, VerificationKey>>();
  for (const [agentId, keys] of Object.entries(agents)) {
    agentKeys.set(agentId, byId(keys, pointerTo('/agents', agentId), readKey, faults));
  }
  const platformKeys = byId(
    platform,
    '/platform',
    (key) => ({ ...readKey(key), purpose: key.purpose }),
    faults,
  );
  return faults.length === 0
    ? ok({ audience, agents: agentKeys, platform: platformKeys })
    : err(faults);
}

function readKey({ keyId, jwk, from, until, revoked }: WireKey): VerificationKey {
  const isEd25519 = jwk.kty === 'OKP' && jwk.crv === 'Ed25519' && jwk.x !== undefined;
  const key = isEd25519 ? parsePublicKey(jwk.x) : err('key-malformed' as const);
  return { keyId, key, from, until, revoked };
}

function byId<Wire extends WireKey, Key>(
  keys: readonly Wire[],
  pointer: string,
  read: (key: Wire) => Key,
  faults: Fault[],
): ReadonlyMap<string, Key> {
  const byKeyId = new Map<string, Key>();
  keys.forEach((key, index) => {
    if (byKeyId.has(key.keyId)) {
      faults.push({ pointer: pointerTo(pointer, index), detail: 'has the id of another key' });
    }
    byKeyId.set(key.keyId, read(key));
  });
  return byKeyId;
}
