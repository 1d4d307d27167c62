import { ERASED } from '../../kernel/event.js';
import type { AgentId } from '../../kernel/ids.js';
import {
  earliest,
  isBefore,
  millisecondsNotBefore,
  timestampOf,
  type Timestamp,
} from '../../kernel/timestamp.js';
import type { ErasureGround } from './events.js';
import type { Interaction } from './interaction.js';
import { isErased, isTerminal, revisionInForce } from './revisions.js';

/** Terms that ask for more are kept until every party lets them go. */
const LONGEST_RETENTION_DAYS = 36_500;
const DAY_MS = 86_400_000;

/** The parties that have not let the texts go. */
export function erasureWaitsFor(interaction: Interaction): readonly AgentId[] {
  const { parties, erasureConsents } = interaction;
  return parties.filter((party) => !erasureConsents.has(party));
}

/**
 * From when on the texts are to be erased: the end of their retention, or the last party's consent.
 * Null before the end, never by itself, and once the texts, which say for how long, are gone.
 */
export function erasureDueAt(interaction: Interaction): Timestamp | null {
  if (!isTerminal(interaction.status) || isErased(interaction)) return null;
  const byConsent = consentedAt(interaction);
  const byRetention = retainedUntil(interaction);
  if (byConsent === null || byRetention === null) return byConsent ?? byRetention;
  return earliest(byConsent, byRetention);
}

/**
 * Why the texts are to be erased now; undefined when they are not. Texts whose key is gone already
 * were erased by the service, which destroys a key only on one of these grounds and before it says so:
 * without every party's consent it was the retention, though nobody can read it any more.
 */
export function erasureGround(interaction: Interaction, now: Timestamp): ErasureGround | undefined {
  if (!isTerminal(interaction.status)) return undefined;
  if (consentedAt(interaction) !== null) return 'consent';
  if (isErased(interaction)) return 'retention';
  const until = retainedUntil(interaction);
  return until === null || isBefore(now, until) ? undefined : 'retention';
}

/** When the last party consented; null as long as one has not. */
function consentedAt(interaction: Interaction): Timestamp | null {
  if (erasureWaitsFor(interaction).length > 0) return null;
  return [...interaction.erasureConsents.values()].at(-1) ?? null;
}

/** The days count from the end that the document shows. */
function retainedUntil(interaction: Interaction): Timestamp | null {
  const days = retentionDays(interaction);
  if (days === null || days > LONGEST_RETENTION_DAYS) return null;
  return timestampOf(millisecondsNotBefore(interaction.updatedAt) + days * DAY_MS);
}

/**
 * Of the terms that were in force last. If none ever were, of whichever revision asks for the most:
 * what a party proposes alone cannot shorten what another proposed. Null: the texts are gone.
 */
function retentionDays(interaction: Interaction): number | null {
  const agreed = revisionInForce(interaction);
  let longest: number | null = null;
  for (const { contract } of agreed === undefined ? interaction.revisions : [agreed]) {
    if (contract === ERASED) return null;
    longest = Math.max(longest ?? 0, contract.retentionDays);
  }
  return longest;
}
