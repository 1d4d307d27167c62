import type {
  Contract,
  InteractionStatus,
  RevisionStatus,
} from '../../../kernel/federated-interaction.js';
import type { TermsHash } from '../../../kernel/ids.js';
import type { Timestamp } from '../../../kernel/timestamp.js';
import type { FirstProposalData, InteractionEvent, ProposalData } from './event-data.js';
import type { PlacedEvent } from './entry.js';
import {
  inForce,
  isEnded,
  openProposal,
  type ReplayedInteraction,
  type ReplayedRevision,
} from './replayed-interaction.js';

export type LaterEvent = Exclude<InteractionEvent, { type: 'interaction-proposed' }>;

/** The interaction after its first event. */
export function begin(
  data: FirstProposalData,
  { envelope, index }: PlacedEvent,
  contract: Contract | null,
): ReplayedInteraction {
  const at = envelope.recordedAt;
  return {
    interactionId: data.interactionId,
    audience: data.audience,
    initiatorAgentId: data.initiatorAgentId,
    responderAgentId: data.responderAgentId,
    parties: data.parties,
    initiatorTransport: data.initiatorTransport,
    responderTransport: data.responderTransport,
    expiresAt: data.expiresAt,
    createdAt: at,
    updatedAt: at,
    status: 'pending',
    revisions: [proposed(data, null, at, contract)],
    inForce: null,
    reports: new Set(),
    expected: null,
    endedAt: null,
    retentionDays: null,
    consents: new Set(),
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
  const { commandId } = envelope.metadata;
  state.revision = envelope.revision;
  state.index = index;
  state.expected = null;
  switch (event.type) {
    case 'revision-proposed':
      close(state, 'superseded', at);
      state.revisions.push(proposed(event.data, event.data.previousTermsHash, at, contract));
      state.updatedAt = at;
      return;
    case 'revision-accepted': {
      const open = openProposal(state);
      if (open === undefined) return;
      const { acceptance } = event.data;
      open.acceptances.set(acceptance.agentId, acceptance);
      open.updatedAt = at;
      state.updatedAt = at;
      const all = state.parties.every((party) => open.acceptances.has(party));
      if (all) state.expected = { type: 'revision-attested', commandId };
      return;
    }
    case 'revision-attested': {
      const open = openProposal(state);
      if (open === undefined) return;
      open.status = 'accepted';
      open.attestation = event.data.attestation;
      open.updatedAt = at;
      state.inForce = open.revision;
      state.reports = new Set();
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
      state.reports.add(event.data.agentId);
      state.updatedAt = at;
      const all = state.parties.every((party) => state.reports.has(party));
      if (all) state.expected = { type: 'interaction-completed', commandId };
      return;
    }
    case 'interaction-completed':
      end(state, 'completed', at);
      return;
    case 'interaction-expired':
      end(state, 'expired', event.data.effectiveAt);
      return;
    case 'erasure-consented':
      state.consents.add(event.data.agentId);
      return;
    case 'texts-erased':
      state.erased = true;
  }
}

/** Forgets the contracts that no later event can need. */
export function forgetSettledTerms(state: ReplayedInteraction): void {
  const needed = isEnded(state) ? [] : [openProposal(state), inForce(state)];
  for (const revision of state.revisions) {
    if (!needed.includes(revision)) revision.contract = null;
  }
}

function proposed(
  data: ProposalData,
  previousTermsHash: TermsHash | null,
  at: Timestamp,
  contract: Contract | null,
): ReplayedRevision {
  return {
    revisionId: data.revisionId,
    revision: data.revision,
    previousTermsHash,
    termsHash: data.termsHash,
    contract,
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

/** Of the terms in force; if none ever was, the longest of any proposal. */
function retentionDays(state: ReplayedInteraction): number | null {
  const terms = inForce(state);
  if (terms !== undefined) return terms.retentionDays;
  let longest = 0;
  for (const { retentionDays: days } of state.revisions) {
    if (days === null) return null;
    longest = Math.max(longest, days);
  }
  return longest;
}

function close(state: ReplayedInteraction, status: RevisionStatus, at: Timestamp): void {
  const open = openProposal(state);
  if (open === undefined) return;
  open.status = status;
  open.updatedAt = at;
}
