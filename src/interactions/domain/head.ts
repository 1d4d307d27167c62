import type { Head } from '../../kernel/rejection.js';
import type { Interaction } from './interaction.js';
import { newestRevision } from './revisions.js';

/**
 * Where the interaction stands, for the next command to name. Of an interaction whose expiry is
 * not yet recorded, ask after `effectiveAt`.
 */
export function headOf(interaction: Interaction): Head {
  const { revision, status, termsHash } = newestRevision(interaction);
  return { revision, status, termsHash };
}

/** A head in one form, by which retries are told from other requests. */
export function headText({ revision, status, termsHash }: Head): string {
  return `${String(revision)}.${status}.${termsHash}`;
}
