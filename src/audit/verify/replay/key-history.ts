import { parsePublicKey, type Ed25519Jwk } from '../../../kernel/ed25519.js';
import type { KeyId } from '../../../kernel/ids.js';
import { isBefore, type Timestamp } from '../../../kernel/timestamp.js';
import { failure, gap, type Flaw } from '../check-result.js';

/** Why nothing can be said about what a stream held before: events of it are withheld or missing. */
export type Ignorance = 'events-withheld' | 'events-missing';

/** A key at the present place in the log. */
export interface ReplayedKey {
  readonly keyId: KeyId;
  readonly jwk: Ed25519Jwk;
  readonly purpose: string | null;
  /**
   * The change without a signature that this key rests on: which added it, or added the key that signed
   * its addition, and so on. Null: signatures lead back to a key that the agent began with.
   */
  readonly restsOn: string | null;
  /** When it was recorded. */
  readonly from: Timestamp;
  /** Stream revision of the event that ended its window: from there on it signs nothing. */
  endedAt: number | null;
  revoked: boolean;
}

/** The keys of one owner, folded in log order: what is in the log before an event was before it. */
export class KeyHistory {
  readonly #keys = new Map<string, ReplayedKey>();
  readonly #points = new Set<string>();

  find(keyId: string): ReplayedKey | undefined {
    return this.#keys.get(keyId);
  }

  has(keyId: string, { x }: Ed25519Jwk): boolean {
    return this.#keys.has(keyId) || this.#points.has(x);
  }

  /** All that there ever were: none is forgotten. */
  get size(): number {
    return this.#keys.size;
  }

  /** True until the first key, and never again. */
  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  add(
    keyId: KeyId,
    jwk: Ed25519Jwk,
    from: Timestamp,
    { purpose = null, restsOn = null }: Partial<Pick<ReplayedKey, 'purpose' | 'restsOn'>> = {},
  ): void {
    this.#points.add(jwk.x);
    this.#keys.set(keyId, {
      keyId,
      jwk,
      purpose,
      restsOn,
      from,
      endedAt: null,
      revoked: false,
    });
  }

  /**
   * A window that has ended stays as it ended.
   *
   * @param revision of the event that ends it
   */
  end(keyId: string, revision: number): void {
    const key = this.#keys.get(keyId);
    if (key !== undefined) key.endedAt ??= revision;
  }

  revoke(keyId: string, revision: number): void {
    this.end(keyId, revision);
    const key = this.#keys.get(keyId);
    if (key !== undefined) key.revoked = true;
  }

  /**
   * Why a signature by the key of this id does not count at this place in the log; undefined when it
   * does. Authentic first, permitted second. Places tell which was first; but whoever decides dates it no
   * earlier than what the decision rests on, so that no clock makes a signature older than its key.
   *
   * @param recordedAt of the event that is signed
   */
  signatureFlaw(
    keyId: string,
    isSignedBy: (jwk: Ed25519Jwk) => boolean,
    recordedAt: Timestamp,
    ignorance: Ignorance | null,
  ): Flaw | undefined {
    const key = this.#keys.get(keyId);
    if (key === undefined) {
      for (const other of [...this.#keys.values()].slice(0, MAX_TRIED)) {
        if (unsafePoint(other.jwk) === undefined && isSignedBy(other.jwk)) {
          return failure('key-id-wrong', `signed by ${other.keyId}`);
        }
      }
      return ignorance === null ? failure('key-unregistered', keyId) : gap(ignorance, keyId);
    }
    const unsafe = unsafePoint(key.jwk);
    if (unsafe !== undefined) return failure(unsafe, keyId);
    if (!isSignedBy(key.jwk)) return failure('signature-invalid', keyId);
    if (isBefore(recordedAt, key.from)) return failure('key-not-yet-valid', keyId);
    if (key.endedAt !== null) {
      return failure(key.revoked ? 'raced' : 'key-window-ended', keyId);
    }
    return ignorance === null ? undefined : gap(ignorance, keyId);
  }

  /**
   * Why a signature that counts shows no more than the platform's word: its key rests on a change that
   * no earlier key signed. Undefined for a key whose own chain is sound, whatever else was changed.
   */
  doubt(keyId: string): Flaw | undefined {
    const restsOn = this.#keys.get(keyId)?.restsOn ?? null;
    return restsOn === null
      ? undefined
      : gap('change-without-signature', `${keyId} rests on ${restsOn}`);
  }
}

/** Who names another key than the one that signed is told so, as long as that is quickly found. */
const MAX_TRIED = 8;

/**
 * What is wrong with a key's point; undefined when it is safe. A point is looked at when its first
 * signature is: that takes long, and many keys are registered and never used.
 */
export function unsafePoint({ x }: Ed25519Jwk): 'key-malformed' | 'key-unsafe-point' | undefined {
  const known = safePoints.get(x);
  if (known !== undefined) return known === 'safe' ? undefined : known;
  const parsed = parsePublicKey(x);
  if (safePoints.size >= MAX_KNOWN_POINTS) safePoints.clear();
  safePoints.set(x, parsed.ok ? 'safe' : parsed.error);
  return parsed.ok ? undefined : parsed.error;
}

const safePoints = new Map<string, 'safe' | 'key-malformed' | 'key-unsafe-point'>();
const MAX_KNOWN_POINTS = 100_000;
