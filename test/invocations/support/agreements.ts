import type { InteractionEvent } from '../../../src/interactions/domain/events.js';
import type { Interaction, Revision } from '../../../src/interactions/domain/interaction.js';
import { interactionStream } from '../../../src/interactions/domain/stream.js';
import type {
  ContractsOfPair,
  InteractionSnapshot,
} from '../../../src/interactions/queries/contracts-between.js';
import { ERASED, type Recorded } from '../../../src/kernel/event.js';
import type { Contract, Transport } from '../../../src/kernel/federated-interaction.js';
import {
  deriveUuid,
  type AgentId,
  type InteractionId,
  type KeyId,
} from '../../../src/kernel/ids.js';
import { termsHash } from '../../../src/kernel/terms.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';
import { contract, foldInteraction } from '../../support/interaction-fixtures.js';

/** When agreements begin. */
export const BEGINNING = '2030-01-01T00:00:00.000Z' as Timestamp;
export const IN_TIME = '2030-02-01T00:00:00.000Z' as Timestamp;
export const EXPIRY = '2030-03-01T00:00:00.000Z' as Timestamp;

/** What two agents, or more, agreed on, and what became of it. */
export interface Agreement {
  readonly name: string;
  readonly initiator: AgentId;
  readonly responder: AgentId;
  readonly others?: readonly AgentId[];
  readonly terms?: Partial<Contract>;
  readonly expiresAt?: Timestamp;
  /** `in force` unless said otherwise. */
  readonly became?:
    | 'in force'
    | 'pending'
    | 'rejected'
    | 'withdrawn'
    | 'cancelled'
    | 'completed'
    | 'expired'
    | 'expired while pending';
  /** Other terms that are in force since. */
  readonly amended?: Partial<Contract>;
  /** Other terms that are only proposed. */
  readonly proposed?: Partial<Contract>;
  readonly isErased?: boolean;
}

export function interactionIdOf(name: string): InteractionId {
  return deriveUuid(['agreement', name]) as string as InteractionId;
}

/** Nothing is in force between the two but what is said. */
const NO_TERMS: Partial<Contract> = {
  allowedActions: [],
  prohibitedActions: [],
  allowedData: [],
  prohibitedData: [],
  humanApprovalRequirements: [],
};

function termsOf({ name, initiator, responder, others = [] }: Agreement, terms: Partial<Contract>) {
  const { deadline: _, ...rest } = contract();
  const parties = [initiator, responder, ...others];
  return { ...rest, ...NO_TERMS, interactionId: interactionIdOf(name), parties, ...terms };
}

/** As the service itself folds it. */
export function agreed(agreement: Agreement): Interaction {
  const { isErased = false } = agreement;
  const log = Array.from(
    eventsOf(agreement),
    (event, revision) =>
      ({
        ...event,
        texts: isErased && event.texts !== null ? ERASED : event.texts,
        recordedAt: BEGINNING,
        revision,
      }) as Recorded<InteractionEvent>,
  );
  return foldInteraction(log)!;
}

function* proposals(
  agreement: Agreement,
  terms: Partial<Contract>,
  revision: number,
  isAttested: boolean,
): Generator<InteractionEvent> {
  const { initiator, responder, others = [], expiresAt = EXPIRY } = agreement;
  const proposed = termsOf(agreement, terms);
  const { interactionId } = proposed;
  const hash = termsHash(proposed);
  const acceptance = {
    agentId: initiator,
    method: 'oauth_installation',
    termsHash: hash,
    acceptedAt: BEGINNING,
  } as const;
  const proposal = {
    interactionId,
    revisionId: deriveUuid(['revision', interactionId, revision]),
    revision,
    termsHash: hash,
    proposedByAgentId: initiator,
    acceptance,
  };
  const texts = { contract: proposed };
  if (revision === 1) {
    const parties = [initiator, responder, ...others];
    const transports = { initiatorTransport: TRANSPORT, responderTransport: TRANSPORT };
    const first = { initiatorAgentId: initiator, responderAgentId: responder, parties };
    const data = { ...proposal, ...first, ...transports, audience: 'https://x.example', expiresAt };
    yield { type: 'interaction-proposed', data, texts };
  } else {
    yield { type: 'revision-proposed', data: { ...proposal, previousTermsHash: hash }, texts };
  }
  if (!isAttested) return;
  const attestation = { algorithm: 'Ed25519', keyId: 'k' as KeyId, value: '', digest: '' } as const;
  const data = { interactionId, revision, termsHash: hash, attestation };
  yield { type: 'revision-attested', data, texts: null };
}

const TRANSPORT: Transport = {
  protocol: 'A2A/1.0',
  protocolBinding: 'JSONRPC',
  endpoint: 'https://x.example',
  managedBy: 'agent',
};

const NEVER_IN_FORCE = new Set(['pending', 'rejected', 'withdrawn', 'expired while pending']);

function* eventsOf(agreement: Agreement): Generator<InteractionEvent> {
  const { name, initiator, terms = {}, became = 'in force', expiresAt = EXPIRY } = agreement;
  const interactionId = interactionIdOf(name);
  const hash = termsHash(termsOf(agreement, terms));
  yield* proposals(agreement, terms, 1, !NEVER_IN_FORCE.has(became));
  if (agreement.amended) yield* proposals(agreement, agreement.amended, 2, true);
  if (agreement.proposed) yield* proposals(agreement, agreement.proposed, 2, false);
  const act = { interactionId, agentId: initiator, signedAt: null, signature: null };
  const rejection = { ...act, revision: 1, termsHash: hash, reasonHash: null };
  const texts = { reason: null };
  switch (became) {
    case 'in force':
    case 'pending':
      return;
    case 'rejected':
      yield { type: 'revision-rejected', data: rejection, texts };
      return;
    case 'withdrawn':
      yield { type: 'revision-withdrawn', data: rejection, texts };
      return;
    case 'cancelled':
      yield {
        type: 'interaction-cancelled',
        data: { ...act, termsHash: hash, reasonHash: null },
        texts,
      };
      return;
    case 'completed':
      yield {
        type: 'interaction-completed',
        data: { interactionId, termsHash: hash },
        texts: null,
      };
      return;
    case 'expired':
    case 'expired while pending':
      yield {
        type: 'interaction-expired',
        data: { interactionId, effectiveAt: expiresAt },
        texts: null,
      };
  }
}

export function read(interaction: Interaction): InteractionSnapshot {
  const stream = interactionStream(interaction.interactionId);
  return { interaction, stream, streamRevision: interaction.version - 1 };
}

/** Of these the active ones, as the domain of interactions tells them. */
export function contractsOf(interactions: readonly Interaction[]): ContractsOfPair {
  return {
    active: interactions.filter(({ status }) => status === 'active').map(read),
    hadAny: interactions.some(({ inForce }) => inForce !== null),
    isReliable: true,
  };
}

export function revisionOf({ revisions }: Interaction, number: number): Revision {
  return revisions[number - 1]!;
}
