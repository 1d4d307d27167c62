import type { Acceptance, ContractRevision } from '../../kernel/federated-interaction.js';
import {
  compareTimestamps,
  isBefore,
  millisecondsNotBefore,
  millisecondsOf,
  timestampOf,
  type Timestamp,
} from '../../kernel/timestamp.js';

/** How far a signed moment may lie from the server's clock. */
const LEEWAY_MS = 300_000;

/**
 * How far two clocks that both are right may date one moment apart. What is recorded in two streams is
 * dated by two nodes, or by one before and after it waited to append, and which was first only the places in
 * the log tell. Whoever signs is allowed as much from the server's clock, so a node that is further off
 * refuses what others sign in time.
 */
const CLOCKS_APART_MS = LEEWAY_MS;

/** When something was recorded by the server's clock: somewhere in here, both ends included. */
export interface RecordedWithin {
  readonly earliest: Timestamp;
  readonly latest: Timestamp;
}

/**
 * When an acceptance was recorded, as closely as the document tells, or `undefined` when its
 * `acceptedAt` fits no such moment. The proposer's was recorded when the revision was created; the
 * only other one of a revision that is still proposed, or accepted, when that was last updated; any
 * other one in between and within the leeway of its `acceptedAt`.
 */
export function recordedWithin(
  acceptance: Acceptance,
  revision: ContractRevision,
): RecordedWithin | undefined {
  const { acceptedAt } = acceptance;
  const { earliest, latest } = documentedMoments(acceptance, revision);
  const from = timestampOf(millisecondsOf(acceptedAt) - LEEWAY_MS);
  const to = timestampOf(millisecondsOf(acceptedAt) + LEEWAY_MS);
  if (earliest === latest) {
    return isPlausible(acceptedAt, earliest) ? { earliest, latest } : undefined;
  }
  const narrowed = { earliest: later(earliest, from), latest: earlier(latest, to) };
  return compareTimestamps(narrowed.earliest, narrowed.latest) <= 0 ? narrowed : undefined;
}

/**
 * On which side of the end of a key's window, as moments tell it; `around` when they do not: nearer than
 * clocks are to each other, and just as near counts too.
 */
export function sideOfEnd(
  { earliest, latest }: RecordedWithin,
  end: Timestamp,
): 'before' | 'around' | 'after' {
  if (isBefore(end, timestampOf(millisecondsOf(earliest) - CLOCKS_APART_MS))) return 'after';
  const last = timestampOf(millisecondsNotBefore(latest) + CLOCKS_APART_MS);
  return isBefore(last, end) ? 'before' : 'around';
}

/**
 * At least one acceptance must have been recorded when the revision was last updated; false when
 * none of those of the other parties can have been.
 */
export function someoneCompletes(revision: ContractRevision): boolean {
  const others = othersThanProposer(revision);
  return (
    others.length === 0 ||
    others.some(({ acceptedAt }) => isPlausible(acceptedAt, revision.updatedAt))
  );
}

function documentedMoments(acceptance: Acceptance, revision: ContractRevision): RecordedWithin {
  const { createdAt, updatedAt, status, proposedByAgentId } = revision;
  if (acceptance.agentId === proposedByAgentId) return { earliest: createdAt, latest: createdAt };
  const endsWithAcceptance = status === 'accepted' || status === 'proposed';
  const isOnlyOther = othersThanProposer(revision).length === 1;
  return endsWithAcceptance && isOnlyOther
    ? { earliest: updatedAt, latest: updatedAt }
    : { earliest: createdAt, latest: updatedAt };
}

function othersThanProposer(revision: ContractRevision): readonly Acceptance[] {
  return Object.values(revision.acceptances).filter(
    ({ agentId }) => agentId !== revision.proposedByAgentId,
  );
}

const TO_MILLISECONDS = '2030-01-02T03:04:05.678Z'.length;

/** Both ends of the leeway are within it, to the last digit that the signer wrote. */
export function isPlausible(signedAt: Timestamp, recordedAt: Timestamp): boolean {
  const clock = millisecondsOf(recordedAt);
  // Nearly all are spelled like this: without a digit behind the milliseconds, numbers are exact.
  if (signedAt.length <= TO_MILLISECONDS) {
    return Math.abs(millisecondsOf(signedAt) - clock) <= LEEWAY_MS;
  }
  return (
    compareTimestamps(signedAt, timestampOf(clock - LEEWAY_MS)) >= 0 &&
    compareTimestamps(signedAt, timestampOf(clock + LEEWAY_MS)) <= 0
  );
}

function later(a: Timestamp, b: Timestamp): Timestamp {
  return compareTimestamps(a, b) >= 0 ? a : b;
}

function earlier(a: Timestamp, b: Timestamp): Timestamp {
  return compareTimestamps(a, b) <= 0 ? a : b;
}
