import type { EventStore } from '../../src/event-store/port.js';

/** A real store, of which some methods are others. */
export function storeWith(store: EventStore, others: Partial<EventStore>): EventStore {
  return {
    append: (...asked) => store.append(...asked),
    readStream: (...asked) => store.readStream(...asked),
    readLast: (...asked) => store.readLast(...asked),
    readAll: (...asked) => store.readAll(...asked),
    subscribeAll: (...asked) => store.subscribeAll(...asked),
    head: () => store.head(),
    holds: (...asked) => store.holds(...asked),
    close: () => store.close(),
    ...others,
  };
}
