import {
  isBefore,
  millisecondsOf,
  timestampOf,
  type Timestamp,
} from '../../../kernel/timestamp.js';
import { failure, type Flaw } from '../check-result.js';
import { MAX_LIFETIME_MS, MAX_REVISIONS } from '../limits.js';
import { isPlausible } from '../recorded-moment.js';
import type { PlacedEvent } from './entry.js';
import { erasureFlaw, illegal } from './erasure-rules.js';
import type { FirstProposalData, ProposalData } from './event-data.js';
import type { LaterEvent } from './interaction-fold.js';
import { isSameOrigin } from './same-command.js';
import {
  inForce,
  isEnded,
  newest,
  openProposal,
  shown,
  type ReplayedInteraction,
} from './replayed-interaction.js';

/** May an interaction begin like this? Its terms are looked at elsewhere. */
export function beginningFlaw(data: FirstProposalData, event: PlacedEvent): Flaw | undefined {
  const { recordedAt, stream, revision } = event.envelope;
  const { parties, initiatorAgentId, responderAgentId, expiresAt } = data;
  if (revision !== 0) return illegal('a proposal is the first event');
  if (stream !== `interaction-${data.interactionId}`) return failure('interaction-id-mismatch');
  const fit =
    parties.length >= 2 &&
    new Set(parties).size === parties.length &&
    initiatorAgentId !== responderAgentId &&
    parties.includes(initiatorAgentId) &&
    parties.includes(responderAgentId);
  if (!fit) return failure('parties-invalid');
  if (data.proposedByAgentId !== initiatorAgentId) return failure('first-proposer-not-initiator');
  if (data.revision !== 1) return failure('revision-numbers-not-contiguous', `${data.revision}`);
  if (!isBefore(recordedAt, expiresAt)) return failure('too-late', 'proposed after its expiry');
  if (isBefore(timestampOf(millisecondsOf(recordedAt) + MAX_LIFETIME_MS), expiresAt)) {
    return failure('times-inconsistent', 'expiresAt is more than 366 days ahead');
  }
  return proposalFlaw(data);
}

/** May this event follow? Texts, signatures and the attestation's bytes are looked at elsewhere. */
export function transitionFlaw(
  state: ReplayedInteraction,
  event: LaterEvent,
  { envelope }: PlacedEvent,
): Flaw | undefined {
  const { recordedAt } = envelope;
  if (event.data.interactionId !== state.interactionId) return failure('interaction-id-mismatch');
  const { expected } = state;
  if (expected !== null) {
    const follows = event.type === expected.type && isSameOrigin(expected.after, envelope.metadata);
    if (!follows) return illegal(`${expected.type} must follow, by the same command`);
    if (recordedAt !== state.updatedAt)
      return failure('times-inconsistent', 'one command, two moments');
  } else if (event.type === 'revision-attested' || event.type === 'interaction-completed') {
    return illegal(`${event.type} before every party has spoken`);
  }
  if (event.type === 'erasure-consented' || event.type === 'texts-erased') {
    return erasureFlaw(state, event, recordedAt);
  }
  if (isEnded(state)) return illegal(`${event.type} after the interaction was ${state.status}`);
  if (event.type === 'interaction-expired') {
    if (event.data.effectiveAt !== state.expiresAt) return failure('expiry-not-repeated');
    return isBefore(recordedAt, state.expiresAt) ? illegal('it had not expired yet') : undefined;
  }
  if (!isBefore(recordedAt, state.expiresAt)) return failure('too-late', 'after expiresAt');
  return openFlaw(state, event, recordedAt);
}

type OpenEvent = Exclude<
  LaterEvent,
  { type: 'erasure-consented' | 'texts-erased' | 'interaction-expired' }
>;

/** While neither ended nor expired. */
function openFlaw(
  state: ReplayedInteraction,
  event: OpenEvent,
  recordedAt: Timestamp,
): Flaw | undefined {
  const open = openProposal(state);
  const isParty = (agentId: string): boolean =>
    (state.parties as readonly string[]).includes(agentId);
  switch (event.type) {
    case 'revision-proposed': {
      const { data } = event;
      const last = newest(state);
      if (!isParty(data.proposedByAgentId)) return failure('proposer-not-a-party');
      if (data.revision !== state.revisions.length + 1 || data.revision > MAX_REVISIONS) {
        return failure('revision-numbers-not-contiguous', `revision ${data.revision}`);
      }
      if (state.revisions.some(({ revisionId }) => revisionId === data.revisionId)) {
        return failure('revision-id-repeated', data.revisionId);
      }
      if (data.previousTermsHash !== last?.termsHash) return failure('link-broken');
      if (data.termsHash === last.termsHash || data.termsHash === inForce(state)?.termsHash) {
        return failure('terms-unchanged');
      }
      return proposalFlaw(data);
    }
    case 'revision-accepted': {
      const { acceptance, revision, policyRevision } = event.data;
      const { agentId, method } = acceptance;
      if (open?.revision !== revision) return illegal('no such proposal is open');
      if (!isParty(agentId)) return failure('not-a-party', agentId);
      if (open.acceptances.has(agentId)) return illegal(`${agentId} has accepted already`);
      if (acceptance.termsHash !== open.termsHash) return failure('accepts-other-terms');
      if ((method === 'policy_auto_accept') !== (policyRevision !== null)) {
        return failure('data-malformed', '/policyRevision');
      }
      const deadline = open.contract?.deadline;
      return deadline === undefined || isBefore(recordedAt, deadline)
        ? undefined
        : failure('too-late', 'after the deadline');
    }
    case 'revision-attested':
      return open?.revision === event.data.revision && open.termsHash === event.data.termsHash
        ? undefined
        : illegal('another revision is due to be attested');
    case 'revision-rejected':
    case 'revision-withdrawn': {
      const { agentId, revision, termsHash } = event.data;
      if (open?.revision !== revision || open.termsHash !== termsHash) {
        return illegal('no such proposal is open');
      }
      if (!isParty(agentId)) return failure('not-a-party', agentId);
      const isOwn = agentId === open.proposedByAgentId;
      if (isOwn === (event.type === 'revision-withdrawn')) return undefined;
      return illegal(isOwn ? 'the proposer cannot reject' : 'only the proposer withdraws');
    }
    case 'interaction-cancelled': {
      const { agentId, termsHash } = event.data;
      if (!isParty(agentId)) return failure('not-a-party', agentId);
      return termsHash === shown(state)?.termsHash ? undefined : illegal('other terms stand');
    }
    case 'outcome-reported': {
      const { agentId, termsHash } = event.data;
      const terms = inForce(state);
      if (terms === undefined) return illegal('nothing is in force');
      if (!isParty(agentId)) return failure('not-a-party', agentId);
      if (state.reports.has(agentId)) return illegal(`${agentId} has reported already`);
      return termsHash === terms.termsHash ? undefined : illegal('other terms are in force');
    }
    case 'interaction-completed':
      return event.data.termsHash === inForce(state)?.termsHash
        ? undefined
        : illegal('other terms are in force');
  }
}

/** A proposal carries its proposer's own acceptance, of its own terms. */
function proposalFlaw({
  acceptance,
  proposedByAgentId,
  termsHash,
}: ProposalData): Flaw | undefined {
  if (acceptance.agentId !== proposedByAgentId) {
    return failure('acceptance-missing', proposedByAgentId);
  }
  if (acceptance.termsHash !== termsHash) return failure('accepts-other-terms');
  return acceptance.method === 'policy_auto_accept' ? failure('method-not-permitted') : undefined;
}

/** A signed moment fits when it was recorded; one that the server set is that very moment. */
export function signedMomentFits(
  signedAt: Timestamp,
  recordedAt: Timestamp,
  bySigner: boolean,
): boolean {
  return bySigner ? isPlausible(signedAt, recordedAt) : signedAt === recordedAt;
}
