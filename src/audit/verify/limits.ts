import type { FederatedInteraction } from '../../kernel/federated-interaction.js';
import { failure, type Flaw } from './check-result.js';

/** Of the protocol, said here once more: the verifier shares nothing with the writer. */
export const DAY_MS = 24 * 60 * 60 * 1000;
/** From its proposal to the expiry of an interaction, in milliseconds. */
export const MAX_LIFETIME_MS = 366 * DAY_MS;
/** Of one interaction. */
export const MAX_REVISIONS = 200;
export const MAX_PARTIES = 16;
/** Of one agent, those that ended among them. */
export const MAX_KEYS = 64;

/**
 * At most 200 revisions, and 16 parties and acceptances in each. Nothing larger was ever made by the
 * service, and a forged document must not keep the verifier busy for hours.
 */
export function limitsFlaw(interaction: FederatedInteraction): Flaw | undefined {
  const { contractRevisions } = interaction;
  if (contractRevisions.length > MAX_REVISIONS) {
    return failure('too-many', `${contractRevisions.length} revisions`);
  }
  for (const { contract, acceptances } of [interaction, ...contractRevisions]) {
    if (contract.parties.length > MAX_PARTIES) {
      return failure('too-many', `${contract.parties.length} parties`);
    }
    const accepting = Object.keys(acceptances).length;
    if (accepting > MAX_PARTIES) return failure('too-many', `${accepting} acceptances`);
  }
  return undefined;
}
