import type { EventStore } from '../../../src/event-store/port.js';

/** The real store with one of its members in the test's hands. */
export function withMember<Name extends keyof EventStore>(
  store: EventStore,
  name: Name,
  member: EventStore[Name],
): EventStore {
  return new Proxy(store, {
    get(target, asked) {
      if (asked === name) return member;
      const value: unknown = Reflect.get(target, asked);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
