import { ERASED, type Erased, type Recorded } from '../../kernel/event.js';
import type { InteractionStatus, RevisionStatus } from '../../kernel/federated-interaction.js';
import type { TermsHash } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type {
  InteractionEvent,
  InteractionProposed,
  RevisionProposed,
  RevisionRejected,
  RevisionWithdrawn,
} from './events.js';
import type { Interaction, LastRejection, Revision } from './interaction.js';
import { withSignatureOf } from './signatures.js';

/**
 * Records one event; judges nothing. A log whose first event is not `interaction-proposed`, or
 * that proposes one interaction twice, was not written by this service: that throws.
 */
export function evolve(
  state: Interaction | undefined,
  event: Recorded<InteractionEvent>,
): Interaction {
  if (event.type === 'interaction-proposed') {
    if (state !== undefined) throw new Error('interaction-proposed on an existing interaction');
    return begin(event);
  }
  if (state === undefined) throw new Error(`${event.type} before interaction-proposed`);
  return {
    ...record(state, event),
    signatures: withSignatureOf(state.signatures, event),
    version: state.version + 1,
  };
}

type Later = Exclude<Recorded<InteractionEvent>, { type: 'interaction-proposed' }>;

function record(state: Interaction, event: Later): Interaction {
  const at = event.recordedAt;
  switch (event.type) {
    case 'revision-proposed':
      return {
        ...state,
        revisions: [
          ...closeOpen(state.revisions, 'superseded', at),
          proposed(event, event.data.previousTermsHash),
        ],
        updatedAt: at,
      };
    case 'revision-accepted': {
      const { revision, acceptance } = event.data;
      return {
        ...state,
        revisions: change(state.revisions, revision, (old) => ({
          ...old,
          acceptances: new Map(old.acceptances).set(acceptance.agentId, acceptance),
          updatedAt: at,
        })),
        updatedAt: at,
      };
    }
    case 'revision-attested':
      return {
        ...withStatus(state, 'active', at),
        revisions: change(state.revisions, event.data.revision, (old) => ({
          ...old,
          status: 'accepted',
          attestation: event.data.attestation,
          updatedAt: at,
        })),
        inForce: event.data.revision,
        reports: new Map(),
      };
    case 'revision-rejected':
      return {
        ...withStatus(state, state.status === 'pending' ? 'rejected' : state.status, at),
        revisions: closeOpen(state.revisions, 'rejected', at),
        lastRejection: lastRejection(event, 'rejected'),
      };
    case 'revision-withdrawn':
      return {
        ...withStatus(state, state.status === 'pending' ? 'cancelled' : state.status, at),
        revisions: closeOpen(state.revisions, 'rejected', at),
        lastRejection: lastRejection(event, 'withdrawn'),
      };
    case 'interaction-cancelled':
      return ended(state, 'cancelled', at);
    case 'outcome-reported':
      return {
        ...state,
        reports: new Map(state.reports).set(event.data.agentId, at),
        updatedAt: at,
      };
    case 'interaction-completed':
      return ended(state, 'completed', at);
    case 'interaction-expired':
      return ended(state, 'expired', event.data.effectiveAt);
    // Neither touches `updatedAt`: an ended document keeps its bytes for as long as it has any.
    case 'erasure-consented':
      return {
        ...state,
        erasureConsents: new Map(state.erasureConsents).set(event.data.agentId, at),
      };
    case 'texts-erased':
      return { ...withoutTexts(state), erasure: { ground: event.data.ground, at } };
  }
}

function begin(event: Recorded<InteractionProposed>): Interaction {
  const { data, recordedAt } = event;
  return {
    interactionId: data.interactionId,
    audience: data.audience,
    initiatorAgentId: data.initiatorAgentId,
    responderAgentId: data.responderAgentId,
    parties: data.parties,
    initiatorTransport: data.initiatorTransport,
    responderTransport: data.responderTransport,
    expiresAt: data.expiresAt,
    status: 'pending',
    statusSince: recordedAt,
    revisions: [proposed(event, null)],
    inForce: null,
    reports: new Map(),
    lastRejection: null,
    erasureConsents: new Map(),
    erasure: null,
    signatures: withSignatureOf([], event),
    createdAt: recordedAt,
    updatedAt: recordedAt,
    version: 1,
  };
}

function proposed(
  event: Recorded<InteractionProposed> | Recorded<RevisionProposed>,
  previousTermsHash: TermsHash | null,
): Revision {
  const { data, texts, recordedAt } = event;
  return {
    revisionId: data.revisionId,
    revision: data.revision,
    previousTermsHash,
    termsHash: data.termsHash,
    contract: texts === ERASED ? ERASED : texts.contract,
    proposedByAgentId: data.proposedByAgentId,
    status: 'proposed',
    acceptances: new Map([[data.acceptance.agentId, data.acceptance]]),
    createdAt: recordedAt,
    updatedAt: recordedAt,
    attestation: null,
  };
}

function ended(state: Interaction, status: InteractionStatus, at: Timestamp): Interaction {
  return {
    ...withStatus(state, status, at),
    revisions: closeOpen(state.revisions, 'rejected', at),
  };
}

/** As if folded from a log without texts: whoever remembers a fold forgets them with the event. */
export function withoutTexts(state: Interaction): Interaction {
  const { revisions, lastRejection } = state;
  return {
    ...state,
    revisions: revisions.map((revision) => ({ ...revision, contract: ERASED })),
    lastRejection: lastRejection && { ...lastRejection, reason: ERASED },
  };
}

/** `statusSince` moves only when the status does. */
function withStatus(state: Interaction, status: InteractionStatus, at: Timestamp): Interaction {
  const statusSince = status === state.status ? state.statusSince : at;
  return { ...state, status, statusSince, updatedAt: at };
}

function closeOpen(
  revisions: readonly Revision[],
  status: RevisionStatus,
  at: Timestamp,
): readonly Revision[] {
  return revisions.map((revision) =>
    revision.status === 'proposed' ? { ...revision, status, updatedAt: at } : revision,
  );
}

function change(
  revisions: readonly Revision[],
  number: number,
  to: (old: Revision) => Revision,
): readonly Revision[] {
  return revisions.map((revision) => (revision.revision === number ? to(revision) : revision));
}

function lastRejection(
  event: Recorded<RevisionRejected> | Recorded<RevisionWithdrawn>,
  kind: LastRejection['kind'],
): LastRejection {
  const reason: string | null | Erased = event.texts === ERASED ? ERASED : event.texts.reason;
  return {
    revision: event.data.revision,
    byAgentId: event.data.agentId,
    kind,
    at: event.recordedAt,
    reason,
  };
}
