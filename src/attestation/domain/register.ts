import type { Decider, Recorded } from '../../kernel/event.js';
import { jwkThumbprint, type Ed25519Jwk } from '../../kernel/ed25519.js';
import type { KeyId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { PlatformKeyEvent } from './events.js';
import { evolve } from './evolve.js';
import {
  isUsable,
  type PlatformKey,
  type PlatformKeyPurpose,
  type PlatformKeys,
  type RevocationReason,
} from './platform-key.js';

/** A key as a node's configuration names it. */
export interface ConfiguredKey {
  readonly keyId: KeyId;
  readonly purpose: PlatformKeyPurpose;
  readonly jwk: Ed25519Jwk;
  /** Null unless the operator declares the key untrustworthy. */
  readonly revoked: RevocationReason | null;
}

/** What a node tells the log when it starts. The order of the keys is the configuration's. */
export interface RegisterPlatformKeys {
  readonly keys: readonly ConfiguredKey[];
}

/**
 * Brings the log in line with one node's configuration, and never the other way round: what another
 * node has recorded stays, whether or not this node knows the key.
 *
 * - Unknown keys are added.
 * - Of each purpose the *last* key configured that is neither retired nor revoked is the node's
 *   choice. Keys of that purpose that were added before it are retired: it takes over. Keys added
 *   after it wait for their turn. So a rotation over several nodes has two steps: first every node
 *   gets the new key in front of the old one, then the new key is moved behind it; as soon as the
 *   first node starts with that order, all of them sign with the new key, which they all hold.
 * - A key that is marked revoked is revoked.
 *
 * Deciding twice changes nothing. Refuses with `key-id-taken` (the id is registered with another
 * public key or purpose) and `key-exists` (the public key is registered under another id).
 */
export function register(
  known: PlatformKeys,
  { keys }: RegisterPlatformKeys,
): Result<readonly PlatformKeyEvent[], Rejection> {
  const conflict = findConflict(known, keys);
  if (conflict !== undefined) return err(conflict);
  const purposes = [...new Set(keys.map(({ purpose }) => purpose))];
  return ok(
    purposes.flatMap((purpose) => {
      const configured = keys.filter((key) => key.purpose === purpose);
      return eventsOfPurpose(known, purpose, configured);
    }),
  );
}

function eventsOfPurpose(
  known: PlatformKeys,
  purpose: PlatformKeyPurpose,
  configured: readonly ConfiguredKey[],
): PlatformKeyEvent[] {
  const chosen = chooseKey(known, configured);
  const missing = configured.filter(({ keyId }) => !known.has(keyId));
  // The choice goes first among the new ones, so that those who wait come after it.
  const added = [
    ...missing.filter((key) => key === chosen),
    ...missing.filter((key) => key !== chosen),
  ];
  const predecessors = chosen === undefined ? [] : predecessorsOf(known, purpose, chosen.keyId);
  return [
    ...added.map(keyAdded),
    ...predecessors.map(({ keyId }) => keyRetired(keyId, chosen?.keyId ?? keyId)),
    ...configured.flatMap((key) => revocation(known, key)),
  ];
}

/** The last of the configured keys (of one purpose) that may sign. */
export function chooseKey<Key extends ConfiguredKey>(
  known: PlatformKeys,
  configured: readonly Key[],
): Key | undefined {
  return configured.findLast(({ keyId, revoked }) => {
    const key = known.get(keyId);
    return revoked === null && (key === undefined || isUsable(key));
  });
}

function predecessorsOf(
  known: PlatformKeys,
  purpose: PlatformKeyPurpose,
  chosen: KeyId,
): readonly PlatformKey[] {
  const since = known.get(chosen)?.addedAtRevision ?? Number.POSITIVE_INFINITY;
  return [...known.values()].filter(
    (key) => key.purpose === purpose && isUsable(key) && key.addedAtRevision < since,
  );
}

function keyAdded({ keyId, purpose, jwk }: ConfiguredKey): PlatformKeyEvent {
  const data = { keyId, purpose, jwk, jwkThumbprint: jwkThumbprint(jwk) };
  return { type: 'platform-key-added', data, texts: null };
}

function keyRetired(keyId: KeyId, replacedBy: KeyId): PlatformKeyEvent {
  return { type: 'platform-key-retired', data: { keyId, replacedBy }, texts: null };
}

function revocation(known: PlatformKeys, key: ConfiguredKey): PlatformKeyEvent[] {
  if (key.revoked === null || known.get(key.keyId)?.revoked) return [];
  const data = { keyId: key.keyId, reason: key.revoked };
  return [{ type: 'platform-key-revoked', data, texts: null }];
}

/** One id, one public key, one purpose: for ever, and across all nodes. */
function findConflict(
  known: PlatformKeys,
  configured: readonly ConfiguredKey[],
): Rejection | undefined {
  for (const key of configured) {
    const registered = known.get(key.keyId);
    const isOther = registered?.jwk.x !== key.jwk.x || registered.purpose !== key.purpose;
    if (registered !== undefined && isOther) {
      const detail = `The platform key ${key.keyId} is registered with another public key or purpose.`;
      return { code: 'key-id-taken', detail };
    }
    const twin = [...known.values()].find(({ jwk }) => jwk.x === key.jwk.x);
    if (twin !== undefined && twin.keyId !== key.keyId) {
      const detail = `The platform key ${key.keyId} is already registered as ${twin.keyId}.`;
      return { code: 'key-exists', detail };
    }
  }
  return undefined;
}

export const platformKeyDecider: Decider<
  PlatformKeys,
  RegisterPlatformKeys,
  PlatformKeyEvent,
  undefined
> = {
  initial: new Map(),
  evolve: (keys: PlatformKeys, event: Recorded<PlatformKeyEvent>) => evolve(keys, event),
  decide: (keys, command) => register(keys, command),
};
