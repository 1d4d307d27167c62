import type { ContractRevision, FederatedInteraction } from '../../kernel/federated-interaction.js';
import {
  compareTimestamps,
  isBefore,
  millisecondsOf,
  timestampOf,
  type Timestamp,
} from '../../kernel/timestamp.js';
import { failure, type Flaw } from './check-result.js';
import { MAX_LIFETIME_MS } from './limits.js';

/**
 * Moments are those of the events that made them. So the interaction begins with revision 1, a
 * proposal is superseded in the moment of its successor, everything happens before `expiresAt`
 * (an expiry exactly then) and terms are accepted before their deadline. `expiresAt` is at most 366
 * days ahead, and each revision repeats it verbatim.
 */
export function timesFlaw(interaction: FederatedInteraction): Flaw | undefined {
  const { contractRevisions, createdAt, expiresAt } = interaction;
  const last = timestampOf(millisecondsOf(createdAt) + MAX_LIFETIME_MS);
  if (isBefore(last, expiresAt)) {
    return failure('times-inconsistent', 'expiresAt is more than 366 days ahead');
  }
  for (const [index, revision] of contractRevisions.entries()) {
    const flaw =
      expiryFlaw(revision, interaction) ??
      revisionTimesFlaw(revision, contractRevisions[index + 1], interaction);
    if (flaw !== undefined) return flaw;
  }
  return interactionTimesFlaw(interaction);
}

function expiryFlaw(
  { revision, expiresAt }: ContractRevision,
  interaction: FederatedInteraction,
): Flaw | undefined {
  return expiresAt === interaction.expiresAt
    ? undefined
    : failure('expiry-not-repeated', `revision ${revision}`);
}

function revisionTimesFlaw(
  revision: ContractRevision,
  next: ContractRevision | undefined,
  interaction: FederatedInteraction,
): Flaw | undefined {
  const { createdAt, updatedAt, status } = revision;
  const { deadline } = revision.contract;
  const subject = `revision ${revision.revision}`;
  if (isBefore(updatedAt, createdAt)) {
    return failure('times-inconsistent', `${subject} was updated before it was created`);
  }
  if (next !== undefined && isBefore(next.createdAt, updatedAt)) {
    return failure('times-inconsistent', `${subject} was updated after its successor`);
  }
  if (status === 'superseded' && next !== undefined && !same(updatedAt, next.createdAt)) {
    return failure('times-inconsistent', `${subject} was not superseded by its successor`);
  }
  const onlyProposed = status === 'proposed' && Object.keys(revision.acceptances).length === 1;
  if (onlyProposed && !same(createdAt, updatedAt)) {
    return failure('times-inconsistent', `${subject} was updated by nothing`);
  }
  // A proposal may be closed after its deadline, but not made or accepted then.
  const consent = status === 'accepted' || status === 'proposed' ? updatedAt : createdAt;
  for (const end of [deadline, interaction.expiresAt]) {
    if (end !== undefined && !isBefore(consent, end)) return failure('too-late', subject);
  }
  return undefined;
}

function interactionTimesFlaw(interaction: FederatedInteraction): Flaw | undefined {
  const { status, contractRevisions, createdAt, updatedAt, expiresAt } = interaction;
  const first = contractRevisions.at(0);
  const newest = contractRevisions.at(-1);
  if (first === undefined || newest === undefined) return failure('no-revisions');
  if (!same(createdAt, first.createdAt)) {
    return failure('times-inconsistent', 'the interaction did not begin with revision 1');
  }
  if (isBefore(updatedAt, newest.updatedAt)) {
    return failure('times-inconsistent', 'the newest revision is newer than the interaction');
  }
  const everAccepted = contractRevisions.some((revision) => revision.status === 'accepted');
  if (!everAccepted && !same(updatedAt, newest.updatedAt)) {
    return failure('times-inconsistent', 'the interaction was updated by nothing');
  }
  if (status === 'expired') {
    return same(updatedAt, expiresAt)
      ? undefined
      : failure('times-inconsistent', 'an expiry is dated expiresAt');
  }
  return isBefore(updatedAt, expiresAt) ? undefined : failure('too-late', 'interaction');
}

function same(a: Timestamp, b: Timestamp): boolean {
  return compareTimestamps(a, b) === 0;
}
