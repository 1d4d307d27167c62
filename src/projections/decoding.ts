import { decodeEvent, type EventTypes } from '../event-store/codec.js';
import type { KeyStore } from '../event-store/key-store.js';
import type { EventFilter, RecordedEnvelope } from '../event-store/port.js';
import type { DomainEvent } from '../kernel/event.js';
import type { ProjectedEvent, Projection, Takes } from './port.js';

/** What a projection takes of an event type; `unknown` is a type from a later build. */
export type Wanted = Takes | 'unknown';

/** An event on its way into the views: decoded once, for all that take it. */
export type Delivery = {
  readonly envelope: RecordedEnvelope;
} & (
  | { readonly event: ProjectedEvent }
  /** It cannot be read, so nobody can apply it. */
  | { readonly fault: unknown }
);

/** The key store cannot be asked: no event is to blame, everything waits. */
class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

export function wantedBy(projection: Projection, envelope: RecordedEnvelope): Wanted {
  for (const prefix of projection.streamPrefixes) {
    if (!envelope.stream.startsWith(prefix)) continue;
    if (!Object.hasOwn(projection.takes, envelope.type)) return 'unknown';
    return projection.takes[envelope.type] ?? 'unknown';
  }
  return 'ignored';
}

/** The most that any projection takes of it. */
function wantedByAny(projections: readonly Projection[], envelope: RecordedEnvelope): Wanted {
  let most: Wanted = 'ignored';
  for (const projection of projections) {
    const wanted = wantedBy(projection, envelope);
    if (wanted === 'texts') return 'texts';
    if (wanted !== 'ignored') most = wanted;
  }
  return most;
}

/** The streams that any of the projections follows. */
export function streamsOf(projections: readonly Projection[]): EventFilter {
  return { streamPrefixes: [...new Set(projections.flatMap((each) => each.streamPrefixes))] };
}

/** Reads envelopes on behalf of several projections. */
export class Decoder {
  readonly #keys: Pick<KeyStore, 'find'>;

  constructor(
    private readonly types: EventTypes<DomainEvent>,
    keys: Pick<KeyStore, 'find'>,
  ) {
    this.#keys = {
      find: async (scope) => {
        try {
          return await keys.find(scope);
        } catch (error) {
          throw new KeysUnavailable('the key store cannot be read', { cause: error });
        }
      },
    };
  }

  /** Leaves out what no projection takes; unseals only what one takes the texts of. */
  async decode(
    envelopes: readonly RecordedEnvelope[],
    projections: readonly Projection[],
  ): Promise<Delivery[]> {
    const deliveries: Delivery[] = [];
    for (const envelope of envelopes) {
      const wanted = wantedByAny(projections, envelope);
      if (wanted === 'ignored') continue;
      deliveries.push(await this.#decodeOne(envelope, wanted === 'texts'));
    }
    return deliveries;
  }

  async #decodeOne(envelope: RecordedEnvelope, withTexts: boolean): Promise<Delivery> {
    try {
      const recorded = await decodeEvent(envelope, this.types, this.#keys, { withTexts });
      const { id, stream, position, metadata } = envelope;
      const { type, data, texts, recordedAt, revision } = recorded;
      const event = { type, data, texts, recordedAt, revision, id, stream, position, metadata };
      return { envelope, event };
    } catch (fault) {
      if (fault instanceof KeysUnavailable) throw fault;
      return { envelope, fault };
    }
  }
}
