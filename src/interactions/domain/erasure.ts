import { ERASED } from '../../kernel/event.js';
import type { AgentId } from '../../kernel/ids.js';
import {
  earliest,
  isBefore,
  millisecondsNotBefore,
  timestampOf,
  type Timestamp,
} from '../../kernel/timestamp.js';
import type { ErasureGround, Retention } from './events.js';
import type { Interaction } from './interaction.js';
import { isErased, isTerminal, revisionInForce } from './revisions.js';

/** No party alone has texts erased earlier. */
export const LEAST_RETENTION_DAYS = 30;
/** No party alone has texts kept for longer. */
const LONGEST_UNAGREED_DAYS = 365;
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

/** A retention of so many days. They count from the end that the document shows. */
export function retentionOf({ updatedAt }: Interaction, days: number): Retention {
  return { days, until: timestampOf(millisecondsNotBefore(updatedAt) + days * DAY_MS) };
}

/** When the last party consented; null as long as one has not. */
function consentedAt(interaction: Interaction): Timestamp | null {
  if (erasureWaitsFor(interaction).length > 0) return null;
  return [...interaction.erasureConsents.values()].at(-1) ?? null;
}

function retainedUntil(interaction: Interaction): Timestamp | null {
  const days = retentionDays(interaction);
  if (days === null || days > LONGEST_RETENTION_DAYS) return null;
  return retentionOf(interaction, days).until;
}

/**
 * Of the terms that were in force last. If none ever were, of whichever revision asks for the most, but
 * within bounds: nobody has agreed to what a party proposed alone. Null: the texts are gone.
 */
export function retentionDays(interaction: Interaction): number | null {
  const agreed = revisionInForce(interaction);
  if (agreed !== undefined)
    return agreed.contract === ERASED ? null : agreed.contract.retentionDays;
  let longest = LEAST_RETENTION_DAYS;
  for (const { contract } of interaction.revisions) {
    if (contract === ERASED) return null;
    longest = Math.max(longest, contract.retentionDays);
  }
  return Math.min(longest, LONGEST_UNAGREED_DAYS);
}
