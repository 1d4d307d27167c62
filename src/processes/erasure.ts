import type { EventStore } from '../event-store/port.js';
import { erasureDueAt } from '../interactions/domain/erasure.js';
import type { InteractionEvent } from '../interactions/domain/events.js';
import { isErased, isTerminal } from '../interactions/domain/revisions.js';
import { INTERACTION_STREAM_PREFIX, interactionStream } from '../interactions/domain/stream.js';
import type { ApprovalRequested } from '../invocations/domain/events.js';
import { INVOCATION_STREAM_PREFIX } from '../invocations/domain/stream.js';
import type { InteractionId } from '../kernel/ids.js';
import type { Rejection } from '../kernel/rejection.js';
import { millisecondsNotBefore, type Clock } from '../kernel/timestamp.js';
import { destroyErasedKeys } from './erased-keys.js';
import { ErasureEffects, type ErasureEffectsOptions } from './erasure-effects.js';
import type { Interactions } from './ports.js';
import type {
  AgendaChange,
  CalendarRules,
  Cause,
  Effect,
  NotBefore,
  Process,
  WatchedEvent,
} from './process.js';

interface Item {
  /**
   * - `ended`: its texts are to be erased once that is due.
   * - `erased`: what else repeats them is to go too.
   * - `repeated`: a call under it repeats some of them; they go if the contract's are gone.
   */
  readonly kind: 'ended' | 'erased' | 'repeated';
  readonly interactionId: InteractionId;
  /** The stream that the item came from. */
  readonly stream: string;
  readonly cause: Cause;
}

const WATCHES = [
  'revision-rejected',
  'revision-withdrawn',
  'interaction-cancelled',
  'interaction-completed',
  'interaction-expired',
  'erasure-consented',
  'texts-erased',
  'approval-requested',
] as const;

type Watched = Extract<InteractionEvent | ApprovalRequested, { type: (typeof WATCHES)[number] }>;

export interface ErasureOptions extends ErasureEffectsOptions {
  readonly interactions: Interactions;
  readonly store: Pick<EventStore, 'readAll'>;
  readonly clock: Clock;
}

/** The name of the process. */
export const ERASURE_PROCESS = 'erasure';

/**
 * What is due within a day is looked at every hour: a node whose clock is ahead may have destroyed the
 * key and died before it said so, which is then recorded while it can be seen that it was too early.
 */
const NEAR_MS = 86_400_000;
const LOOK_AGAIN_MS = 3_600_000;

/**
 * Erases the texts of ended interactions: at the end of their retention, or once every party consented.
 * Destroys the key first and records it afterwards, so that nothing is recorded that is not so; whoever
 * comes after a crash in between finds the key gone, and records it.
 *
 * For how long texts are retained stands in the terms, which are sealed. So an item is due at its
 * interaction's end, and then finds out when it is due indeed; and the days are noted before the key is
 * destroyed, for the record.
 */
export class ErasureProcess implements Process<Watched, Item> {
  readonly name = ERASURE_PROCESS;
  readonly streamPrefixes = [INTERACTION_STREAM_PREFIX, INVOCATION_STREAM_PREFIX];
  readonly watches = WATCHES;

  /** Years may pass until then, and many interactions end meanwhile. Nothing else is ever due later. */
  readonly calendar: CalendarRules<Item> = {
    note: ({ interactionId, cause }) => ({ interactionId, ...cause }),
    recall: ({ interactionId, eventId, correlationId }) => {
      const stream = interactionStream(interactionId);
      const cause = { eventId, correlationId };
      return { key: stream, item: { kind: 'ended', interactionId, stream, cause } };
    },
  };

  readonly #effects: ErasureEffects;

  constructor(private readonly options: ErasureOptions) {
    this.#effects = new ErasureEffects(options);
  }

  async begin(signal: AbortSignal): Promise<void> {
    const { store, keys, repeated } = this.options;
    await destroyErasedKeys(store, keys, repeated, signal);
  }

  react(event: WatchedEvent<Watched>): AgendaChange<Item> {
    switch (event.type) {
      // Of a pending interaction these two are the end; of one in force they are not.
      case 'revision-rejected':
      case 'revision-withdrawn':
      case 'interaction-cancelled':
      case 'interaction-completed':
      case 'interaction-expired':
      case 'erasure-consented':
        return toDo('ended', event.data.interactionId, event);
      case 'texts-erased':
        return toDo('erased', event.data.interactionId, event);
      case 'approval-requested':
        return toDo('repeated', event.data.terms.interactionId, event);
    }
  }

  async effects({
    kind,
    interactionId,
    stream,
    cause,
  }: Item): Promise<readonly Effect[] | NotBefore> {
    const { interactions, repeated } = this.options;
    switch (kind) {
      case 'ended':
        return await this.#ofEnded(interactionId, cause);
      case 'erased':
        // Once more: a call may have asked for an approval while the contract was erased.
        return await this.#effects.sweep(stream, await repeated.streamsOf(interactionId), cause);
      case 'repeated': {
        const interaction = await interactions.find(interactionId);
        // Otherwise the erasure, which is still to come, finds it in the log.
        if (interaction === undefined || interaction.erasure === null) return [];
        return await this.#effects.sweep(stream, [stream], cause);
      }
    }
  }

  judge({ code }: Rejection): 'settled' | 'later' {
    return code === 'interaction-not-found' ? 'settled' : 'later';
  }

  async #ofEnded(
    interactionId: InteractionId,
    cause: Cause,
  ): Promise<readonly Effect[] | NotBefore> {
    const { interactions, clock } = this.options;
    const interaction = await interactions.find(interactionId);
    if (interaction === undefined || !isTerminal(interaction.status)) return [];
    if (interaction.erasure !== null) return [];
    if (isErased(interaction)) return [this.#effects.erase(interaction, cause)];
    const due = erasureDueAt(interaction);
    // Never by itself: a consent brings it back.
    if (due === null) return [];
    const notBefore = millisecondsNotBefore(due);
    const now = clock();
    if (notBefore <= now) return [this.#effects.erase(interaction, cause)];
    if (notBefore - now > NEAR_MS) return { notBefore };
    return { notBefore: Math.min(notBefore, now + LOOK_AGAIN_MS) };
  }
}

function toDo(
  kind: Item['kind'],
  interactionId: InteractionId,
  { id: eventId, stream, metadata: { correlationId } }: WatchedEvent<Watched>,
): AgendaChange<Item> {
  const item = { kind, interactionId, stream, cause: { eventId, correlationId } };
  return { kind: 'add', key: stream, item, dueAt: 'at-once' };
}
