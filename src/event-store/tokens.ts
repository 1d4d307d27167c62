/** What the container hands out under these names: see `app.module.ts`. */

/** The {@link import('./port.js').EventStore}. */
export const EVENT_STORE = Symbol('EventStore');

/** The {@link import('./key-store.js').KeyStore}. */
export const KEY_STORE = Symbol('KeyStore');
