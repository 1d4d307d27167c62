import { keyScopeOf } from '../event-store/codec.js';
import type { EventStore } from '../event-store/port.js';
import { erasureDueAt, erasureWaitsFor, retentionDays } from '../interactions/domain/erasure.js';
import type { InteractionEvent } from '../interactions/domain/events.js';
import type { Interaction } from '../interactions/domain/interaction.js';
import { isErased, isTerminal } from '../interactions/domain/revisions.js';
import { INTERACTION_STREAM_PREFIX, interactionStream } from '../interactions/domain/stream.js';
import type { ApprovalRequested } from '../invocations/domain/events.js';
import { INVOCATION_STREAM_PREFIX } from '../invocations/domain/stream.js';
import { ERASED } from '../kernel/event.js';
import type { InteractionId } from '../kernel/ids.js';
import { ok } from '../kernel/result.js';
import { millisecondsNotBefore, type Clock } from '../kernel/timestamp.js';
import { destroyErasedKeys } from './erased-keys.js';
import type { DataKeys, Interactions } from './ports.js';
import type { Cause, Effect, NotBefore, Process } from './process.js';
import type { RepeatedTerms } from './repeated-terms.js';
import type { RetentionNotes } from './retention-notes.js';

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

type Watched =
  | Extract<
      InteractionEvent,
      {
        type:
          | 'revision-rejected'
          | 'revision-withdrawn'
          | 'interaction-cancelled'
          | 'interaction-completed'
          | 'interaction-expired'
          | 'erasure-consented'
          | 'texts-erased';
      }
    >
  | ApprovalRequested;

export interface ErasureOptions {
  readonly interactions: Interactions;
  readonly keys: DataKeys;
  readonly repeated: Pick<RepeatedTerms, 'streamsOf'>;
  readonly notes: Pick<RetentionNotes, 'note' | 'find'>;
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
export function erasureProcess({
  interactions,
  keys,
  repeated,
  notes,
  store,
  clock,
}: ErasureOptions): Process<Watched, Item> {
  /** Those of the streams whose texts can still be read. */
  const legible = async (streams: readonly string[]): Promise<readonly string[]> => {
    const found = await keys.findAll(streams.map(keyScopeOf));
    return streams.filter((stream) => {
      const key = found.get(keyScopeOf(stream));
      return key !== undefined && key !== ERASED;
    });
  };

  const destroy = async (streams: readonly string[]): Promise<void> => {
    await Promise.all(streams.map(async (stream) => keys.destroy(keyScopeOf(stream))));
  };

  /**
   * Null where the key is destroyed because every party consented: all had, while it was there. One that
   * was gone before, on a note of its retention, was destroyed because of that. Null too if a build that
   * noted none died in between.
   */
  const noteRetention = async (interaction: Interaction): Promise<number | null> => {
    const { interactionId } = interaction;
    if (erasureWaitsFor(interaction).length === 0) {
      const [legibleStill] = await legible([interactionStream(interactionId)]);
      return legibleStill === undefined ? notes.find(interactionId) : null;
    }
    const days = retentionDays(interaction);
    if (days === null) return notes.find(interactionId);
    await notes.note(interactionId, days);
    return days;
  };

  const erasing = ({ interactionId, cause }: Item, interaction: Interaction): Effect => ({
    name: ['erase', interactionId],
    cause,
    perform: async (envelope) => {
      // Destroyed again where they are: whoever did it may have died before the bytes were gone.
      await destroy(await repeated.streamsOf(interactionId));
      const days = await noteRetention(interaction);
      await destroy([interactionStream(interactionId)]);
      const command = { kind: 'erase', retentionDays: days } as const;
      return interactions.execute(interactionId, command, envelope);
    },
  });

  /**
   * Nothing where no key is left: only one of the nodes needs the lease for it. If bytes of one that was
   * destroyed are left, the key store removes them by itself.
   */
  const sweeping = async (
    { stream, cause }: Item,
    streams: readonly string[],
  ): Promise<readonly Effect[]> => {
    const left = await legible(streams);
    if (left.length === 0) return [];
    const perform: Effect['perform'] = async () => {
      await destroy(left);
      return ok(undefined);
    };
    return [{ name: ['sweep', stream], cause, perform }];
  };

  return {
    name: ERASURE_PROCESS,
    streamPrefixes: [INTERACTION_STREAM_PREFIX, INVOCATION_STREAM_PREFIX],
    watches: [
      'revision-rejected',
      'revision-withdrawn',
      'interaction-cancelled',
      'interaction-completed',
      'interaction-expired',
      'erasure-consented',
      'texts-erased',
      'approval-requested',
    ],

    begin: async (signal) => destroyErasedKeys(store, keys, repeated, signal),

    react(event) {
      const { stream: key } = event;
      const cause = { eventId: event.id, correlationId: event.metadata.correlationId };
      const add = (kind: Item['kind'], interactionId: InteractionId) =>
        ({
          kind: 'add',
          key,
          item: { kind, interactionId, stream: key, cause },
          dueAt: 'at-once',
        }) as const;
      switch (event.type) {
        // Of a pending interaction these two are the end; of one in force they are not.
        case 'revision-rejected':
        case 'revision-withdrawn':
        case 'interaction-cancelled':
        case 'interaction-completed':
        case 'interaction-expired':
        case 'erasure-consented':
          return add('ended', event.data.interactionId);
        case 'texts-erased':
          return add('erased', event.data.interactionId);
        case 'approval-requested':
          return add('repeated', event.data.terms.interactionId);
      }
    },

    async effects(item): Promise<readonly Effect[] | NotBefore> {
      const { kind, interactionId, stream } = item;
      switch (kind) {
        case 'ended': {
          const interaction = await interactions.find(interactionId);
          if (interaction === undefined || !isTerminal(interaction.status)) return [];
          if (interaction.erasure !== null) return [];
          if (isErased(interaction)) return [erasing(item, interaction)];
          const due = erasureDueAt(interaction);
          // Never by itself: a consent brings it back.
          if (due === null) return [];
          const notBefore = millisecondsNotBefore(due);
          const now = clock();
          if (notBefore <= now) return [erasing(item, interaction)];
          if (notBefore - now > NEAR_MS) return { notBefore };
          return { notBefore: Math.min(notBefore, now + LOOK_AGAIN_MS) };
        }
        case 'erased':
          // Once more: a call may have asked for an approval while the contract was erased.
          return sweeping(item, await repeated.streamsOf(interactionId));
        case 'repeated': {
          const interaction = await interactions.find(interactionId);
          // Otherwise the erasure, which is still to come, finds it in the log.
          if (interaction === undefined || interaction.erasure === null) return [];
          return sweeping(item, [stream]);
        }
      }
    },

    // Years may pass until then, and many interactions end meanwhile. Nothing else is ever due later.
    calendar: {
      note: ({ interactionId, cause }) => ({ interactionId, ...cause }),
      recall: ({ interactionId, eventId, correlationId }) => {
        const stream = interactionStream(interactionId);
        const cause = { eventId, correlationId };
        return { key: stream, item: { kind: 'ended', interactionId, stream, cause } };
      },
    },

    judge({ code }) {
      return code === 'interaction-not-found' ? 'settled' : 'later';
    },
  };
}
