import type {
  Contract,
  InteractionStatus,
  RevisionStatus,
} from '../../../kernel/federated-interaction.js';
import type { TermsHash } from '../../../kernel/ids.js';
import type { Timestamp } from '../../../kernel/timestamp.js';
import type { FirstProposalData, InteractionEvent, ProposalData } from './event-data.js';
import type { PlacedEvent } from './entry.js';
import { itemsHash } from './report-items.js';
import { withSignatureOf } from './served-signatures.js';
import {
  inForce,
  isEnded,
  NOBODY,
  openProposal,
  UNAGREED_DAYS,
  type ReplayedInteraction,
  type ReplayedRevision,
} from './replayed-interaction.js';

export type LaterEvent = Exclude<InteractionEvent, { type: 'interaction-proposed' }>;

/**
 * The interaction after its first event.
 *
 * @param documents whether its wire document will be asked for
 */
export function begin(
  data: FirstProposalData,
  { envelope, index }: PlacedEvent,
  contract: Contract | null,
  documents: boolean,
): ReplayedInteraction {
  const at = envelope.recordedAt;
  const { signature } = data.acceptance;
  return {
    interactionId: data.interactionId,
    audience: data.audience,
    initiatorAgentId: data.initiatorAgentId,
    responderAgentId: data.responderAgentId,
    parties: data.parties,
    initiatorTransport: documents ? data.initiatorTransport : null,
    responderTransport: documents ? data.responderTransport : null,
    expiresAt: data.expiresAt,
    createdAt: at,
    updatedAt: at,
    status: 'pending',
    revisions: [proposed(data, null, at, index, contract)],
    inForce: null,
    reports: NOBODY,
    expected: null,
    endedAt: null,
    retentionDays: null,
    consents: NOBODY,
    signatures: signature === undefined ? [] : [signature.value],
    erased: false,
    revision: envelope.revision,
    index,
    sound: true,
  };
}

/** Records an event that the rules allow. */
export function record(
  state: ReplayedInteraction,
  event: LaterEvent,
  { envelope, index }: PlacedEvent,
  contract: Contract | null,
): void {
  const at = envelope.recordedAt;
  const expecting = { after: envelope.metadata, decidedAfter: state.index };
  state.revision = envelope.revision;
  state.index = index;
  state.expected = null;
  state.signatures = withSignatureOf(state.signatures, event);
  switch (event.type) {
    case 'revision-proposed':
      close(state, 'superseded', at);
      state.revisions.push(proposed(event.data, event.data.previousTermsHash, at, index, contract));
      state.updatedAt = at;
      return;
    case 'revision-accepted': {
      const open = openProposal(state);
      if (open === undefined) return;
      const { acceptance } = event.data;
      open.acceptances = new Map([...open.acceptances, [acceptance.agentId, acceptance]]);
      open.updatedAt = at;
      state.updatedAt = at;
      const all = state.parties.every((party) => open.acceptances.has(party));
      if (all) state.expected = { type: 'revision-attested', ...expecting };
      return;
    }
    case 'revision-attested': {
      const open = openProposal(state);
      if (open === undefined) return;
      open.status = 'accepted';
      open.attestation = event.data.attestation;
      open.itemsHash = open.contract && itemsHash(open.contract);
      open.updatedAt = at;
      state.inForce = open.revision;
      state.reports = NOBODY;
      state.status = 'active';
      state.updatedAt = at;
      return;
    }
    case 'revision-rejected':
    case 'revision-withdrawn': {
      close(state, 'rejected', at);
      state.updatedAt = at;
      if (state.status === 'pending') {
        end(state, event.type === 'revision-rejected' ? 'rejected' : 'cancelled', at);
      }
      return;
    }
    case 'interaction-cancelled':
      end(state, 'cancelled', at);
      return;
    case 'outcome-reported': {
      state.reports = new Set([...state.reports, event.data.agentId]);
      state.updatedAt = at;
      const all = state.parties.every((party) => state.reports.has(party));
      if (all) state.expected = { type: 'interaction-completed', ...expecting };
      return;
    }
    case 'interaction-completed':
      end(state, 'completed', at);
      return;
    case 'interaction-expired':
      end(state, 'expired', event.data.effectiveAt);
      return;
    case 'erasure-consented':
      state.consents = new Set([...state.consents, event.data.agentId]);
      return;
    case 'texts-erased':
      state.erased = true;
  }
}

/** Forgets of each revision but the open one what only its document needs. */
export function forgetSettledTerms(state: ReplayedInteraction): void {
  const open = isEnded(state) ? undefined : openProposal(state);
  for (const revision of state.revisions) {
    if (revision === open) continue;
    revision.contract = null;
    revision.acceptances = NO_ACCEPTANCES;
    revision.attestation = null;
  }
}

const NO_ACCEPTANCES: ReplayedRevision['acceptances'] = new Map();

function proposed(
  data: ProposalData,
  previousTermsHash: TermsHash | null,
  at: Timestamp,
  index: number,
  contract: Contract | null,
): ReplayedRevision {
  return {
    revisionId: data.revisionId,
    revision: data.revision,
    index,
    previousTermsHash,
    termsHash: data.termsHash,
    contract,
    itemsHash: null,
    retentionDays: contract?.retentionDays ?? null,
    proposedByAgentId: data.proposedByAgentId,
    status: 'proposed',
    acceptances: new Map([[data.acceptance.agentId, data.acceptance]]),
    createdAt: at,
    updatedAt: at,
    attestation: null,
  };
}

function end(state: ReplayedInteraction, status: InteractionStatus, at: Timestamp): void {
  close(state, 'rejected', at);
  state.status = status;
  state.updatedAt = at;
  state.endedAt = at;
  state.retentionDays = retentionDays(state);
}

/** Of the terms in force; if none ever was, the longest of any proposal within these bounds. */
function retentionDays(state: ReplayedInteraction): number | null {
  const terms = inForce(state);
  if (terms !== undefined) return terms.retentionDays;
  let longest = UNAGREED_DAYS.least;
  for (const { retentionDays: days } of state.revisions) {
    if (days === null) return null;
    longest = Math.max(longest, days);
  }
  return Math.min(longest, UNAGREED_DAYS.most);
}

function close(state: ReplayedInteraction, status: RevisionStatus, at: Timestamp): void {
  const open = openProposal(state);
  if (open === undefined) return;
  open.status = status;
  open.updatedAt = at;
}
