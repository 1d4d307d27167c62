import { ERASED } from '../../kernel/event.js';
import type { InteractionStatus } from '../../kernel/federated-interaction.js';
import type { TermsHash } from '../../kernel/ids.js';
import type { Interaction, Revision } from './interaction.js';

/** The revision that the last proposal, counter-proposal or amendment made. */
export function newestRevision(interaction: Interaction): Revision {
  const revision = interaction.revisions.at(-1);
  if (revision === undefined) throw new Error('an interaction has at least one revision');
  return revision;
}

/** The proposal that still waits for acceptances; it can only be the newest revision. */
export function openProposal(interaction: Interaction): Revision | undefined {
  const newest = newestRevision(interaction);
  return newest.status === 'proposed' ? newest : undefined;
}

/** The revision that every party accepted last. */
export function revisionInForce(interaction: Interaction): Revision | undefined {
  return interaction.inForce === null ? undefined : interaction.revisions[interaction.inForce - 1];
}

/**
 * The revision that the top level of the wire document shows: the newest proposal while pending,
 * the terms in force while active, and at the end the last terms in force, else the newest proposal.
 */
export function shownRevision(interaction: Interaction): Revision {
  return revisionInForce(interaction) ?? newestRevision(interaction);
}

/** What a cancellation or a completion is about: the terms in force, else the newest proposal's. */
export function standingTermsHash(interaction: Interaction): TermsHash {
  return shownRevision(interaction).termsHash;
}

/** No command changes an interaction of such a status. */
export function isTerminal(status: InteractionStatus): boolean {
  return status !== 'pending' && status !== 'active';
}

/** The key of the texts was destroyed: hashes, signatures and times remain. */
export function isErased(interaction: Interaction): boolean {
  return interaction.revisions.some((revision) => revision.contract === ERASED);
}
