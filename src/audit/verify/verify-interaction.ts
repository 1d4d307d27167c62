import type { ContractRevision, FederatedInteraction } from '../../kernel/federated-interaction.js';
import { validateInteraction } from '../../kernel/wire-schema.js';
import { acceptanceFlaw, acceptancesFlaw } from './acceptances.js';
import { attestationFlaw } from './attestation.js';
import {
  conclude,
  failure,
  gap,
  summarize,
  type CheckResult,
  type Verification,
} from './check-result.js';
import { inWords } from './faults.js';
import { identityFlaw } from './identity.js';
import { limitsFlaw } from './limits.js';
import { partiesFlaw } from './parties.js';
import { revisionLinkFlaw, revisionNumbersFlaw } from './revisions.js';
import { statusFlaw } from './status.js';
import { signaturesFlaw, termsHashFlaw } from './terms.js';
import { timesFlaw } from './times.js';
import { topLevelFlaw } from './top-level.js';
import type { VerificationKeys } from './verification-keys.js';

/**
 * Verifies an interaction document offline: everything is recomputed from the document, and only
 * the given keys are trusted. `document` is what `parseStrictJson` made of its bytes. One result per
 * check, in a fixed order; what does not match the wire schema or its limits is judged no further.
 *
 * What no signature covers is not vouched for by a `verified` either, as far as the rules leave it open:
 * the transports, of which the initiator's may be missing; whether, how and when an interaction ended
 * (`status`, `updatedAt`); and of revisions that were never accepted all but number, terms and the
 * acceptances that are there, hence `revisionId`, moments, status, which of those parties proposed it,
 * and whether others accepted it too.
 */
export function verifyInteraction(document: unknown, keys: VerificationKeys): Verification {
  return summarize(checkDocument(document, keys));
}

function checkDocument(document: unknown, keys: VerificationKeys): readonly CheckResult[] {
  if (isErasedAnswer(document)) return [conclude('schema', 'interaction', gap('erased'))];
  const parsed = validateInteraction(document);
  if (!parsed.ok) {
    return [conclude('schema', 'interaction', failure('schema-violation', inWords(parsed.error)))];
  }
  const interaction = parsed.value;
  const schema = conclude('schema', 'interaction', undefined);
  const limits = conclude('limits', 'interaction', limitsFlaw(interaction));
  if (limits.result === 'failed') return [schema, limits];
  return [
    schema,
    limits,
    conclude('identity', 'interaction', identityFlaw(interaction)),
    conclude('parties', 'interaction', partiesFlaw(interaction)),
    conclude('revision-numbers', 'interaction', revisionNumbersFlaw(interaction)),
    conclude('top-level', 'interaction', topLevelFlaw(interaction)),
    conclude('terms-hash', 'interaction', termsHashFlaw(interaction)),
    conclude('signatures-empty', 'interaction', signaturesFlaw(interaction)),
    conclude('status', 'interaction', statusFlaw(interaction)),
    conclude('times', 'interaction', timesFlaw(interaction)),
    ...interaction.contractRevisions.flatMap((revision, index) =>
      verifyRevision(revision, interaction.contractRevisions.slice(0, index), interaction, keys),
    ),
  ];
}

function verifyRevision(
  revision: ContractRevision,
  earlier: readonly ContractRevision[],
  interaction: FederatedInteraction,
  keys: VerificationKeys,
): readonly CheckResult[] {
  const subject = `revision ${revision.revision}`;
  return [
    conclude('terms-hash', subject, termsHashFlaw(revision)),
    conclude('signatures-empty', subject, signaturesFlaw(revision)),
    conclude('revision-link', subject, revisionLinkFlaw(revision, earlier)),
    conclude('acceptances', subject, acceptancesFlaw(revision)),
    ...Object.entries(revision.acceptances).map(([mapKey, acceptance]) =>
      conclude(
        'acceptance',
        `${subject}, ${mapKey}`,
        acceptanceFlaw(mapKey, acceptance, revision, interaction, keys),
      ),
    ),
    conclude('attestation', subject, attestationFlaw(revision, keys)),
  ];
}

/**
 * The service's answer (410) in place of an interaction whose texts are erased. What has texts to be judged
 * by is no such answer, whatever else it says.
 */
function isErasedAnswer(document: unknown): boolean {
  if (typeof document !== 'object' || document === null || 'contractRevisions' in document) {
    return false;
  }
  const { status, code } = document as { readonly status?: unknown; readonly code?: unknown };
  return status === 410 && code === 'interaction-erased';
}
