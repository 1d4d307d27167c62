import { decodeBase64Url } from '../../../kernel/base64url.js';
import { logOrigin, type SignedCheckpoint } from '../../../kernel/checkpoint.js';
import type { ConsistencyEvidence } from '../../../kernel/evidence-bundle.js';
import { sameHash, verifyConsistency } from '../../../kernel/merkle.js';
import { verifyNote, type NoteKey } from '../../../kernel/note-key.js';
import { failure, gap, type Flaw } from '../check-result.js';
import type { Trust } from '../trust.js';

/**
 * Whose checkpoint it is: of this platform's log, and signed by a trusted key of that name; or equal
 * to a trusted checkpoint; or an extension of one, and then only entries before that one's end count.
 *
 * @param lastIndex of the entries that are to be proved
 */
export function checkpointFlaw(
  given: SignedCheckpoint,
  consistency: ConsistencyEvidence | null,
  audience: string,
  lastIndex: number,
  { keys, checkpoints }: Trust,
): Flaw | undefined {
  const { note, checkpoint } = given;
  if (checkpoint.origin !== logOrigin(audience))
    return failure('origin-differs', checkpoint.origin);
  if (keys.length === 0 && checkpoints.length === 0) return gap('log-unnamed');
  let isSigned = false;
  for (const key of keys) {
    // A key's name is the origin of its log: another log's key says nothing here.
    if (key.name !== checkpoint.origin) continue;
    const { verdict } = verifyNote(note, key);
    if (verdict === 'invalid') return failure('checkpoint-signature-invalid', key.keyId);
    isSigned ||= verdict === 'signed';
  }
  if (isSigned) return undefined;
  const consistent = checkpoints.filter(
    (trusted) => consistencyFlaw(trusted, given, consistency) === undefined,
  );
  const reach = Math.max(0, ...consistent.map((trusted) => trusted.checkpoint.size));
  if (consistent.length > 0) {
    return lastIndex < reach ? undefined : gap('beyond-trust', `entry ${lastIndex} of ${reach}`);
  }
  return keys.length > 0 ? failure('checkpoint-unsigned') : gap('checkpoint-unsigned');
}

/** Does the bundle's tree begin with the tree of a trusted checkpoint? */
export function consistencyFlaw(
  { checkpoint: trusted }: SignedCheckpoint,
  { checkpoint }: SignedCheckpoint,
  consistency: ConsistencyEvidence | null,
): Flaw | undefined {
  if (trusted.origin !== checkpoint.origin) return failure('origin-differs', trusted.origin);
  if (trusted.size > checkpoint.size) return gap('checkpoint-older', `size ${trusted.size}`);
  if (trusted.size === checkpoint.size) {
    return sameHash(trusted.rootHash, checkpoint.rootHash)
      ? undefined
      : failure('checkpoint-forked', `size ${trusted.size}`);
  }
  const proof = trusted.size === 0 ? [] : proofFrom(trusted.size, consistency);
  if (proof === undefined) return gap('consistency-missing', `from size ${trusted.size}`);
  const holds = verifyConsistency({
    first: trusted.size,
    second: checkpoint.size,
    firstRoot: trusted.rootHash,
    secondRoot: checkpoint.rootHash,
    proof,
  });
  return holds ? undefined : failure('consistency-broken', `from size ${trusted.size}`);
}

/**
 * A proof from a size of which no trusted checkpoint is there: it leads from a root that nobody knows. Of
 * the empty tree, and of the whole one, there is nothing to prove.
 */
export function unanchoredFlaw(
  { checkpoint }: SignedCheckpoint,
  { from, proof }: ConsistencyEvidence,
): Flaw | undefined {
  const at = `from size ${from} of ${checkpoint.size}`;
  if (from > checkpoint.size) return failure('consistency-broken', at);
  if (from > 0 && from < checkpoint.size) return gap('consistency-unanchored', at);
  return proof.length === 0 ? undefined : failure('consistency-broken', at);
}

/** Did the witness see this checkpoint? */
export function witnessFlaw({ note }: SignedCheckpoint, witness: NoteKey): Flaw | undefined {
  const { verdict } = verifyNote(note, witness);
  if (verdict === 'signed') return undefined;
  return verdict === 'invalid' ? failure('cosignature-invalid') : gap('cosignature-missing');
}

function proofFrom(
  size: number,
  consistency: ConsistencyEvidence | null,
): readonly Uint8Array[] | undefined {
  return consistency?.from === size ? hashes(consistency.proof) : undefined;
}

/** The schema has made sure of the spelling. */
export function hashes(proof: readonly string[]): readonly Uint8Array[] {
  return proof.map((hash) => decodeBase64Url(hash) ?? new Uint8Array());
}
