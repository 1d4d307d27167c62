import type { EventStore } from '../../../src/event-store/port.js';

/** @param fails asked before each call, with the name of the member and its first argument */
export function failingStore(
  store: EventStore,
  fails: (member: string, first: unknown) => boolean,
): EventStore {
  return new Proxy(store, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (fails(String(member), args[0])) throw new Error('the store is away');
        return Reflect.apply(value, target, args);
      };
    },
  });
}
