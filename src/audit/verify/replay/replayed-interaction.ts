import type { EventMetadata } from '../../../kernel/envelope.js';
import type {
  Acceptance,
  Contract,
  InteractionStatus,
  PlatformAttestation,
  RevisionStatus,
  Transport,
} from '../../../kernel/federated-interaction.js';
import type { AgentId, InteractionId, TermsHash, Uuid } from '../../../kernel/ids.js';
import type { Timestamp } from '../../../kernel/timestamp.js';

export interface ReplayedRevision {
  readonly revisionId: Uuid;
  readonly revision: number;
  /** Place in the log of its proposal. */
  readonly index: number;
  readonly previousTermsHash: TermsHash | null;
  readonly termsHash: TermsHash;
  /** Null without the texts, and once nothing needs it. */
  contract: Contract | null;
  /** Of what a report on these terms must answer, once they are in force; null without the texts. */
  itemsHash: string | null;
  /** Of the contract; null without the texts. */
  readonly retentionDays: number | null;
  readonly proposedByAgentId: AgentId;
  status: RevisionStatus;
  /** Empty once nothing needs them. */
  acceptances: ReadonlyMap<AgentId, Acceptance>;
  readonly createdAt: Timestamp;
  updatedAt: Timestamp;
  attestation: PlatformAttestation | null;
}

/** What the log leads to. Only the replay changes it. */
export interface ReplayedInteraction {
  readonly interactionId: InteractionId;
  readonly audience: string;
  readonly initiatorAgentId: AgentId;
  readonly responderAgentId: AgentId;
  readonly parties: readonly AgentId[];
  /** Null where no document will be asked for. */
  readonly initiatorTransport: Transport | null;
  readonly responderTransport: Transport | null;
  readonly expiresAt: Timestamp;
  readonly createdAt: Timestamp;
  updatedAt: Timestamp;
  status: InteractionStatus;
  /** Index 0 holds revision 1; empty once the interaction is released. */
  revisions: ReplayedRevision[];
  /** Number of the revision in force. */
  inForce: number | null;
  /** Who has reported on the terms in force. */
  reports: ReadonlySet<AgentId>;
  /** What the same command must have recorded next. */
  expected: ExpectedEvent | null;
  endedAt: Timestamp | null;
  /** Days after the end, from the texts; null without them. */
  retentionDays: number | null;
  consents: ReadonlySet<AgentId>;
  /** By which its parties acted so far; empty once the interaction is released. */
  signatures: readonly string[];
  erased: boolean;
  /** Revision and place of the last event. */
  revision: number;
  index: number;
  /** Something before was missing or wrong: from there on, the state is not known. */
  sound: boolean;
}

/** For how long texts are retained to which no party but their proposer ever agreed. */
export const UNAGREED_DAYS = { least: 30, most: 365 };

/** Shared by all that hold nobody: there are many of them. */
export const NOBODY: ReadonlySet<AgentId> = new Set();

export interface ExpectedEvent {
  readonly type: 'revision-attested' | 'interaction-completed';
  /** Of the event that it must follow: all events of a command say the same of how they came to be. */
  readonly after: EventMetadata;
  /** Place of the stream's last event before the command: it was read before anything was decided. */
  readonly decidedAfter: number;
}

export function isEnded({ status }: ReplayedInteraction): boolean {
  return status !== 'pending' && status !== 'active';
}

export function newest({ revisions }: ReplayedInteraction): ReplayedRevision | undefined {
  return revisions.at(-1);
}

export function openProposal(interaction: ReplayedInteraction): ReplayedRevision | undefined {
  const last = newest(interaction);
  return last?.status === 'proposed' ? last : undefined;
}

export function inForce({
  revisions,
  inForce: n,
}: ReplayedInteraction): ReplayedRevision | undefined {
  return n === null ? undefined : revisions[n - 1];
}

/** The terms in force, else the newest proposal. */
export function shown(interaction: ReplayedInteraction): ReplayedRevision | undefined {
  return inForce(interaction) ?? newest(interaction);
}
