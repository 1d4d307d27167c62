import type { Checkpoint, SignedCheckpoint } from '../../../kernel/checkpoint.js';
import type { EvidenceBundle } from '../../../kernel/evidence-bundle.js';
import { conclude, type CheckResult } from '../check-result.js';
import type { Trust } from '../trust.js';
import { checkpointFlaw, consistencyFlaw, unanchoredFlaw, witnessFlaw } from './checkpoint.js';

/**
 * Whose checkpoint it is, what it extends, and who saw it.
 *
 * @param lastIndex of the entries that are to be proved
 */
export function checkCheckpoint(
  { audience, consistency }: EvidenceBundle,
  given: SignedCheckpoint,
  trust: Trust,
  lastIndex: number,
): readonly CheckResult[] {
  const { origin } = given.checkpoint;
  const flaw = checkpointFlaw(given, consistency, audience, lastIndex, trust);
  const checks = [conclude('checkpoint', nameOf(given.checkpoint), flaw)];
  for (const trusted of trust.checkpoints) {
    const of = nameOf(trusted.checkpoint);
    checks.push(conclude('consistency', of, consistencyFlaw(trusted, given, consistency)));
  }
  const from = consistency?.from;
  if (consistency && trust.checkpoints.every(({ checkpoint }) => checkpoint.size !== from)) {
    const of = nameOf({ origin, size: consistency.from });
    checks.push(conclude('consistency', of, unanchoredFlaw(given, consistency)));
  }
  for (const witness of trust.witnesses) {
    checks.push(conclude('witness', witness.name, witnessFlaw(given, witness)));
  }
  return checks;
}

function nameOf({ origin, size }: Pick<Checkpoint, 'origin' | 'size'>): string {
  return `${origin}@${size}`;
}
