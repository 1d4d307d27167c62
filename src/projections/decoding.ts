import {
  decodeEvent,
  keyScopeOf,
  type EventTypes,
  type KeyOrErased,
} from '../event-store/codec.js';
import type { KeyStore } from '../event-store/key-store.js';
import type { EventFilter, RecordedEnvelope } from '../event-store/port.js';
import { ERASED, type DomainEvent } from '../kernel/event.js';
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
  constructor(
    private readonly types: EventTypes<DomainEvent>,
    private readonly keys: Pick<KeyStore, 'findAll'>,
  ) {}

  /**
   * Leaves out what no projection takes; unseals only what one takes the texts of.
   * @throws {KeysUnavailable}
   */
  async decode(
    envelopes: readonly RecordedEnvelope[],
    projections: readonly Projection[],
  ): Promise<Delivery[]> {
    const taken: { envelope: RecordedEnvelope; withTexts: boolean }[] = [];
    const scopes = new Set<string>();
    for (const envelope of envelopes) {
      const wanted = wantedByAny(projections, envelope);
      if (wanted === 'ignored') continue;
      const withTexts = wanted === 'texts';
      if (withTexts && envelope.sealed !== null) scopes.add(keyScopeOf(envelope.stream));
      taken.push({ envelope, withTexts });
    }
    const keys = await this.#keysOf(scopes);
    return taken.map(({ envelope, withTexts }) =>
      this.#decodeOne(envelope, withTexts ? keys.get(keyScopeOf(envelope.stream)) : ERASED),
    );
  }

  /** All keys of a batch at once: one by one they would cost as much as everything else. */
  async #keysOf(scopes: ReadonlySet<string>): Promise<Keys> {
    if (scopes.size === 0) return NO_KEYS;
    try {
      return await this.keys.findAll([...scopes]);
    } catch (error) {
      throw new KeysUnavailable('the key store cannot be read', { cause: error });
    }
  }

  #decodeOne(envelope: RecordedEnvelope, key: KeyOrErased): Delivery {
    try {
      const recorded = decodeEvent(envelope, this.types, key);
      const { id, stream, position, metadata } = envelope;
      const { type, data, texts, recordedAt, revision } = recorded;
      // Member by member: to spread the one into the other takes several times as long.
      const event = { type, data, texts, recordedAt, revision, id, stream, position, metadata };
      return { envelope, event };
    } catch (fault) {
      return { envelope, fault };
    }
  }
}

type Keys = Awaited<ReturnType<KeyStore['findAll']>>;
const NO_KEYS: Keys = new Map();
