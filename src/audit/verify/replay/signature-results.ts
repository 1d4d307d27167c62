import type { Acceptance } from '../../../kernel/federated-interaction.js';
import { conclude, outweighing, type CheckResult, type Flaw } from '../check-result.js';
import { attestationFlaw } from './attestations.js';
import { subjectOf, type PlacedEvent } from './entry.js';
import type { LaterEvent } from './interaction-fold.js';
import { newest, openProposal, type ReplayedInteraction } from './replayed-interaction.js';
import type { ReplayedPlatformKeys } from './replayed-platform-keys.js';
import { acceptanceFlaw, actFlaw, type Party } from './signatures.js';

/** Who signs, as known at the present place in the log. */
export interface Signers {
  /** Undefined: there is no such agent. */
  readonly partyNamed: (agentId: string) => Party | undefined;
  readonly platformKeys: ReplayedPlatformKeys;
}

/**
 * What is signed in an event that may follow; asked before it is recorded. The acceptance that a proposal
 * carries is of the terms that it brings: {@link acceptanceResults}, once it is recorded.
 *
 * @param served that a signature in it served before
 */
export function signatureResults(
  state: ReplayedInteraction,
  event: LaterEvent,
  placed: PlacedEvent,
  served: Flaw | undefined,
  signers: Signers,
): readonly CheckResult[] {
  const { envelope } = placed;
  const subject = subjectOf(envelope);
  switch (event.type) {
    case 'revision-accepted': {
      const { acceptance, policyRevision } = event.data;
      return acceptanceResults(state, acceptance, policyRevision, placed, served, signers);
    }
    case 'revision-attested': {
      const open = openProposal(state);
      const { attestation, revision } = event.data;
      const flaw =
        open && attestationFlaw(attestation, open, state, signers.platformKeys, envelope);
      return [conclude('attestation', `${subject}, revision ${revision}`, flaw)];
    }
    case 'revision-rejected':
    case 'revision-withdrawn':
    case 'interaction-cancelled':
    case 'outcome-reported':
    case 'erasure-consented': {
      const { agentId } = event.data;
      const party = signers.partyNamed(agentId) ?? 'events-missing';
      const flaw = actFlaw(event, state, party, envelope.recordedAt);
      return [conclude('act', `${subject}, ${agentId}`, outweighing(flaw, served))];
    }
    case 'revision-proposed':
    case 'interaction-completed':
    case 'interaction-expired':
    case 'texts-erased':
      return [];
  }
}

/**
 * One acceptance, of the newest proposal.
 *
 * @param policyRevision of the policy that it names
 * @param served that its signature served before
 */
export function acceptanceResults(
  state: ReplayedInteraction,
  acceptance: Acceptance,
  policyRevision: number | null,
  { envelope }: PlacedEvent,
  served: Flaw | undefined,
  { partyNamed }: Signers,
): readonly CheckResult[] {
  const revision = newest(state);
  if (revision === undefined) return [];
  const { agentId } = acceptance;
  const flaw = acceptanceFlaw(
    acceptance,
    policyRevision,
    revision,
    state,
    partyNamed(agentId) ?? 'events-missing',
    envelope.recordedAt,
  );
  const subject = `${subjectOf(envelope)}, revision ${revision.revision}, ${agentId}`;
  return [conclude('acceptance', subject, outweighing(flaw, served))];
}
