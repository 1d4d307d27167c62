import { LRUCache } from 'lru-cache';
import type { EventStore } from '../../event-store/port.js';
import type { InteractionId } from '../../kernel/ids.js';
import type { InteractionEvent } from '../domain/events.js';
import { interactionStream } from '../domain/stream.js';

const ERASURE: InteractionEvent['type'] = 'texts-erased';

/** Of a few words each. */
const REMEMBERED = 20_000;
/** Streams that are looked at at the same time. */
const LOOKS_AT_ONCE = 64;

/**
 * Which interactions are erased as the log says, whatever the key store does: an older copy of it that
 * was put back opens again what was erased since, until the nodes have destroyed those keys once more.
 *
 * Nothing follows an erasure in its stream, so the newest event tells. It is never undone, so what was
 * found erased is remembered; what was not is looked at again every time.
 */
export class RecordedErasures {
  readonly #erased = new LRUCache<InteractionId, true>({ max: REMEMBERED });

  constructor(private readonly store: Pick<EventStore, 'readLast'>) {}

  /** Those of the interactions whose erasure was recorded before the call. */
  async among(interactionIds: Iterable<InteractionId>): Promise<ReadonlySet<InteractionId>> {
    const asked = [...new Set(interactionIds)];
    const unknown = asked.filter((id) => !this.#erased.has(id));
    for (let next = 0; next < unknown.length; next += LOOKS_AT_ONCE) {
      await Promise.all(unknown.slice(next, next + LOOKS_AT_ONCE).map((id) => this.#look(id)));
    }
    return new Set(asked.filter((id) => this.#erased.has(id)));
  }

  async #look(id: InteractionId): Promise<void> {
    const last = await this.store.readLast(interactionStream(id));
    if (last?.type === ERASURE) this.#erased.set(id, true);
  }
}
