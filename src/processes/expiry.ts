import type { InteractionEvent } from '../interactions/domain/events.js';
import { INTERACTION_STREAM_PREFIX } from '../interactions/domain/stream.js';
import type { InteractionId } from '../kernel/ids.js';
import type { Rejection } from '../kernel/rejection.js';
import { millisecondsNotBefore } from '../kernel/timestamp.js';
import type { Interactions } from './ports.js';
import type {
  AgendaChange,
  CalendarRules,
  Cause,
  Effect,
  Process,
  WatchedEvent,
} from './process.js';

interface OpenInteraction {
  readonly interactionId: InteractionId;
  /** Once terms are in force, or perhaps in force, a rejection or withdrawal no longer ends it. */
  readonly isActive: boolean;
  readonly cause: Cause;
}

const WATCHES = [
  'interaction-proposed',
  'revision-attested',
  'revision-rejected',
  'revision-withdrawn',
  'interaction-cancelled',
  'interaction-completed',
  'interaction-expired',
] as const;

type Watched = Extract<InteractionEvent, { type: (typeof WATCHES)[number] }>;

/** Ends every interaction at its `expiresAt` that nothing has ended before. */
export class ExpiryProcess implements Process<Watched, OpenInteraction> {
  readonly name = 'expiry';
  readonly streamPrefixes = [INTERACTION_STREAM_PREFIX];
  readonly watches = WATCHES;

  /**
   * Contracts are in force for months. What ends while it stands on the calendar is found ended when its
   * hour comes, and is settled.
   */
  readonly calendar: CalendarRules<OpenInteraction> = {
    note: ({ interactionId, cause }) => ({ interactionId, ...cause }),
    recall: ({ interactionId, eventId, correlationId }) => ({
      key: interactionId,
      item: { interactionId, isActive: true, cause: { eventId, correlationId } },
    }),
  };

  constructor(private readonly interactions: Interactions) {}

  react(
    event: WatchedEvent<Watched>,
    pending: (key: string) => OpenInteraction | undefined,
  ): AgendaChange<OpenInteraction> {
    const key = event.data.interactionId;
    switch (event.type) {
      case 'interaction-proposed': {
        const { interactionId, expiresAt } = event.data;
        const cause = { eventId: event.id, correlationId: event.metadata.correlationId };
        const item = { interactionId, isActive: false, cause };
        return { kind: 'add', key, item, dueAt: millisecondsNotBefore(expiresAt) };
      }
      case 'revision-attested': {
        const open = pending(key);
        if (open === undefined) return { kind: 'none' };
        return { kind: 'replace', key, item: { ...open, isActive: true } };
      }
      case 'revision-rejected':
      case 'revision-withdrawn':
        return pending(key)?.isActive === true ? { kind: 'none' } : { kind: 'remove', key };
      case 'interaction-cancelled':
      case 'interaction-completed':
      case 'interaction-expired':
        return { kind: 'remove', key };
    }
  }

  effects({ interactionId, cause }: OpenInteraction): Promise<readonly Effect[]> {
    return Promise.resolve([
      {
        name: ['expire', interactionId],
        cause,
        perform: (envelope) =>
          this.interactions.execute(interactionId, { kind: 'expire' }, envelope),
      },
    ]);
  }

  judge({ code }: Rejection): 'settled' | 'later' {
    return code === 'interaction-ended' || code === 'interaction-not-found' ? 'settled' : 'later';
  }
}
