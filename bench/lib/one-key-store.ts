import type { KeyStore } from '../../src/event-store/key-store.js';

/** One key for every scope, from memory: logs of millions of streams are filled in minutes. */
export function oneKeyStore(key: Uint8Array): KeyStore {
  return {
    obtain: async () => Promise.resolve(key),
    find: async () => Promise.resolve(key),
    findAll: async (scopes) => Promise.resolve(new Map(scopes.map((scope) => [scope, key]))),
    destroy: async () => Promise.reject(new Error('there is but one key')),
    close: async () => Promise.resolve(),
  };
}
