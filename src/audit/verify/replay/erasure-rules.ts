import {
  isBefore,
  millisecondsNotBefore,
  timestampOf,
  type Timestamp,
} from '../../../kernel/timestamp.js';
import { failure, gap, type Flaw } from '../check-result.js';
import { DAY_MS } from '../limits.js';
import type { LaterEvent } from './interaction-fold.js';
import { UNAGREED_DAYS, type ReplayedInteraction } from './replayed-interaction.js';

/** Longer retentions never end by themselves. */
const MAX_RETENTION_DAYS = 36_500;

type ErasureEvent = Extract<LaterEvent, { type: 'erasure-consented' | 'texts-erased' }>;
type Erased = Extract<ErasureEvent, { type: 'texts-erased' }>['data'];

/** Consent only after the end, by each party once; erasure once, when due or consented by all, and nothing after it. */
export function erasureFlaw(
  state: ReplayedInteraction,
  event: ErasureEvent,
  recordedAt: Timestamp,
): Flaw | undefined {
  const { endedAt } = state;
  if (endedAt === null) return illegal(`${event.type} before the end`);
  if (state.erased) return illegal('the texts were erased before');
  if (event.type === 'erasure-consented') {
    const { agentId } = event.data;
    if (!state.parties.includes(agentId)) return failure('not-a-party', agentId);
    return state.consents.has(agentId) ? illegal(`${agentId} has consented already`) : undefined;
  }
  if (event.data.ground === 'retention') {
    return retentionFlaw(state, event.data.retention ?? null, endedAt, recordedAt);
  }
  if ((event.data.retention ?? null) !== null) return failure('data-malformed', '/data/retention');
  const missing = state.parties.filter((party) => !state.consents.has(party));
  return missing.length === 0 ? undefined : illegal(`no consent by ${missing.join(', ')}`);
}

/**
 * The retention had run out: by the days of the terms where there are texts, and by those that the event
 * tells, which are the same. Without texts the event's days are the platform's word, within the bounds of
 * what nobody agreed to; whoever kept the terms can hold them against it.
 */
function retentionFlaw(
  { retentionDays, inForce }: ReplayedInteraction,
  told: NonNullable<Erased['retention']> | null,
  endedAt: Timestamp,
  recordedAt: Timestamp,
): Flaw | undefined {
  const days = told?.days ?? retentionDays;
  if (days === null) return gap('retention-unrecorded');
  if (retentionDays !== null && days !== retentionDays) {
    return illegal(`the terms say ${retentionDays} days, not ${days}`);
  }
  if (days > MAX_RETENTION_DAYS) return illegal('such a retention never ends');
  if (inForce === null && (days < UNAGREED_DAYS.least || days > UNAGREED_DAYS.most)) {
    return illegal(`nobody agreed to ${days} days`);
  }
  const due = timestampOf(millisecondsNotBefore(endedAt) + days * DAY_MS);
  if (told !== null && told.until !== due) return illegal(`the retention ended at ${due}`);
  return isBefore(recordedAt, due) ? illegal(`not due before ${due}`) : undefined;
}

export function illegal(why: string): Flaw {
  return failure('illegal-transition', why);
}
