import type { Acceptance, Signature } from '../../../kernel/federated-interaction.js';
import {
  makeStatement,
  verifyStatement,
  type AcceptanceStatement,
  type CancellationStatement,
  type CompletionStatement,
  type ErasureConsentStatement,
  type RejectionStatement,
  type Statement,
  type WithdrawalStatement,
} from '../../../kernel/statements.js';
import type { Timestamp } from '../../../kernel/timestamp.js';
import { failure, gap, type Flaw } from '../check-result.js';
import type { ActData } from './event-data.js';
import type { LaterEvent } from './interaction-fold.js';
import type { Ignorance } from './key-history.js';
import { policyFlaw } from './policy-rules.js';
import type { ReplayedAgent } from './replayed-agent.js';
import type { ReplayedInteraction, ReplayedRevision } from './replayed-interaction.js';
import { signedMomentFits } from './transitions.js';

/** What is known of a party at this place in the log. */
export type Party = ReplayedAgent | Ignorance;

/**
 * One acceptance: signed over the acceptance statement by a key of the agent's own that was valid at
 * this place in the log; or by another method that the agent permitted here, and then only the
 * platform vouches for it.
 */
export function acceptanceFlaw(
  acceptance: Acceptance,
  policyRevision: number | null,
  revision: ReplayedRevision,
  interaction: ReplayedInteraction,
  party: Party,
  recordedAt: Timestamp,
): Flaw | undefined {
  const { agentId, method, acceptedAt, signature } = acceptance;
  if (!signedMomentFits(acceptedAt, recordedAt, method === 'ed25519')) {
    return failure('accepted-at-implausible');
  }
  if (method !== 'ed25519') {
    if (signature !== undefined) return failure('signature-unexpected', method);
    if (typeof party === 'string') return gap(party, agentId);
    return (
      permissionFlaw(acceptance, party) ??
      policyFlaw(policyRevision, revision, interaction, party) ??
      gap('method-without-signature', method)
    );
  }
  if (signature === undefined) return failure('signature-missing');
  if (typeof party === 'string') return gap(party, agentId);
  const statement = makeStatement<AcceptanceStatement>('federated-interaction/acceptance', {
    audience: interaction.audience,
    interactionId: interaction.interactionId,
    revision: revision.revision,
    previousTermsHash: revision.previousTermsHash,
    termsHash: revision.termsHash,
    expiresAt: interaction.expiresAt,
    agentId,
    method,
    acceptedAt,
  });
  // What is wrong outweighs what only the platform vouches for.
  return (
    signedBy(party, signature, statement, recordedAt) ??
    permissionFlaw(acceptance, party) ??
    party.keys.doubt(signature.keyId)
  );
}

/** What is withheld may be about methods too, unless a key's history already left it open. */
function permissionFlaw({ method }: Acceptance, party: ReplayedAgent): Flaw | undefined {
  if (party.ignorance !== null) return gap(party.ignorance, method);
  return party.methods.includes(method) ? undefined : failure('method-not-permitted', method);
}

export type ActEvent = Extract<
  LaterEvent,
  {
    type:
      | 'revision-rejected'
      | 'revision-withdrawn'
      | 'interaction-cancelled'
      | 'outcome-reported'
      | 'erasure-consented';
  }
>;

/** Any other act of a party: signed, where the agent signs its acts. */
export function actFlaw(
  event: ActEvent,
  { audience }: ReplayedInteraction,
  party: Party,
  recordedAt: Timestamp,
): Flaw | undefined {
  const { agentId, signedAt, signature } = event.data;
  if ((signedAt === null) !== (signature === null)) return failure('data-malformed', '/signature');
  if (typeof party === 'string') return gap(party, agentId);
  if (signedAt === null || signature === null) {
    if (party.ignorance !== null) return gap(party.ignorance, agentId);
    // Once an agent has retired its owner may wind things down, and destroy nothing.
    const mayWindDown = party.isRetired && event.type !== 'erasure-consented';
    if (party.signsItsActs && !mayWindDown) return failure('signature-missing', agentId);
    return gap('act-without-signature', agentId);
  }
  if (!signedMomentFits(signedAt, recordedAt, true)) return failure('signed-at-implausible');
  return (
    signedBy(party, signature, statementOf(event, audience, signedAt), recordedAt) ??
    party.keys.doubt(signature.keyId)
  );
}

function statementOf(event: ActEvent, audience: string, signedAt: Timestamp): Statement {
  const { interactionId, agentId }: ActData = event.data;
  const act = { audience, interactionId, agentId, signedAt };
  switch (event.type) {
    case 'revision-rejected':
    case 'revision-withdrawn': {
      const { revision, termsHash, reasonHash } = event.data;
      return makeStatement<RejectionStatement | WithdrawalStatement>(
        event.type === 'revision-rejected'
          ? 'federated-interaction/rejection'
          : 'federated-interaction/withdrawal',
        { ...act, revision, termsHash, reasonHash },
      );
    }
    case 'interaction-cancelled': {
      const { termsHash, reasonHash } = event.data;
      const members = { ...act, termsHash, reasonHash };
      return makeStatement<CancellationStatement>('federated-interaction/cancellation', members);
    }
    case 'outcome-reported': {
      const { termsHash, reportHash } = event.data;
      const members = { ...act, termsHash, reportHash };
      return makeStatement<CompletionStatement>('federated-interaction/completion', members);
    }
    case 'erasure-consented':
      return makeStatement<ErasureConsentStatement>('federated-interaction/erasure-consent', act);
  }
}

function signedBy(
  party: ReplayedAgent,
  { keyId, value }: Signature,
  statement: Statement,
  recordedAt: Timestamp,
): Flaw | undefined {
  return party.keys.signatureFlaw(
    keyId,
    (jwk) => verifyStatement(jwk, statement, value),
    recordedAt,
    party.ignorance,
  );
}
