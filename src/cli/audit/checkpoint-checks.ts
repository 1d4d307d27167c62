import {
  conclude,
  failure,
  gap,
  type CheckResult,
  type Flaw,
} from '../../audit/verify/check-result.js';
import type { Trust } from '../../audit/verify/trust.js';
import type { SignedCheckpoint } from '../../kernel/checkpoint.js';
import { sameHash } from '../../kernel/merkle.js';
import { verifyNote } from '../../kernel/note-key.js';

/** What was recomputed: the root at a size, undefined where the entries do not reach. */
export type RootAt = (size: number) => Uint8Array | undefined;

/**
 * A checkpoint that the service publishes: of this log, signed by a trusted key, and the entries lead
 * to its root.
 */
export function checkPublished(
  given: SignedCheckpoint,
  origin: string,
  trust: Trust,
  rootAt: RootAt,
): CheckResult {
  const { size } = given.checkpoint;
  const flaw = signatureFlaw(given, origin, trust);
  const worst = flaw?.result === 'failed' ? flaw : (rootFlaw(given, rootAt) ?? flaw);
  return conclude('checkpoint', subjectOf(size), worst);
}

/** A checkpoint that is trusted for having been kept: the entries lead to its root too. */
export function checkKept(kept: SignedCheckpoint, origin: string, rootAt: RootAt): CheckResult {
  const { checkpoint } = kept;
  const flaw =
    checkpoint.origin === origin
      ? rootFlaw(kept, rootAt)
      : failure('origin-differs', checkpoint.origin);
  const broken = flaw?.reason === 'root-mismatch' ? failure('consistency-broken') : flaw;
  return conclude('consistency', subjectOf(checkpoint.size), broken);
}

function signatureFlaw(
  { note, checkpoint }: SignedCheckpoint,
  origin: string,
  { keys }: Trust,
): Flaw | undefined {
  if (checkpoint.origin !== origin) return failure('origin-differs', checkpoint.origin);
  const own = keys.filter(({ name }) => name === origin);
  if (own.length === 0) return gap('log-unnamed', origin);
  const verdicts = own.map((key) => verifyNote(note, key).verdict);
  if (verdicts.includes('invalid')) return failure('checkpoint-signature-invalid');
  // An older one may be of a key that has been replaced, and was not named.
  return verdicts.includes('signed') ? undefined : gap('checkpoint-unsigned');
}

function rootFlaw({ checkpoint }: SignedCheckpoint, rootAt: RootAt): Flaw | undefined {
  const root = rootAt(checkpoint.size);
  if (root === undefined) return failure('log-shorter');
  return sameHash(root, checkpoint.rootHash) ? undefined : failure('root-mismatch');
}

function subjectOf(size: number): string {
  return `${String(size)} entries`;
}
