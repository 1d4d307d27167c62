import { randomBytes } from 'node:crypto';
import { StartupError } from '../config/startup-error.js';
import { placeOf, type ForgettingLocation } from '../config/store-location.js';
import { keyScopeOf } from '../event-store/codec.js';
import type { KeyStore } from '../event-store/key-store.js';
import { isKeyStoreOfLog } from '../event-store/key-store-of-log.js';
import { START, type EventStore } from '../event-store/port.js';
import { INTERACTION_STREAM_PREFIX } from '../interactions/domain/stream.js';
import { firstOf } from '../projections/first-of.js';
import { orStartupError } from './open-event-store.js';

/**
 * Opens the store of the data keys of a log. Only the engine that is used is loaded.
 * @throws {StartupError} when it cannot be opened, or is not the one that the log was written with
 */
export async function openKeyStore(
  location: ForgettingLocation,
  log: EventStore,
): Promise<KeyStore> {
  return await orStartupError('KEY_STORE', location, async () => {
    const keys = await open(location);
    try {
      await refuseForeign(keys, location, log);
      return keys;
    } catch (error) {
      await keys.close();
      throw error;
    }
  });
}

async function open(location: ForgettingLocation): Promise<KeyStore> {
  if (location.engine === 'sqlite') {
    const { openSqliteKeyStore } = await import('../event-store/sqlite/sqlite-key-store.js');
    return await openSqliteKeyStore(location.path, { randomBytes });
  }
  const { openPostgresKeyStore } = await import('../event-store/postgres/postgres-key-store.js');
  return await openPostgresKeyStore(location.url, { randomBytes });
}

/**
 * A node with other keys than the rest would seal what no other can read: that is found here, and not
 * by the contracts that are lost. The first text that was ever sealed is looked at before a log that
 * names no key store (one that was copied) takes this one.
 */
async function refuseForeign(
  keys: KeyStore,
  location: ForgettingLocation,
  log: EventStore,
): Promise<void> {
  const first = await firstOf(log.readAll(START, { streamPrefixes: [INTERACTION_STREAM_PREFIX] }));
  const isSealed = first !== undefined && first.sealed !== null;
  if (isSealed && (await keys.find(keyScopeOf(first.stream))) === undefined) {
    throw foreign(location, 'lacks keys of the log in EVENT_STORE');
  }
  if (!(await isKeyStoreOfLog(keys, log, { clock: Date.now, random: randomBytes }))) {
    throw foreign(location, 'is not the key store that the log in EVENT_STORE was begun with');
  }
}

function foreign(location: ForgettingLocation, what: string): StartupError {
  return new StartupError([
    `KEY_STORE ${placeOf(location)}: ${what}; all its nodes share one key store`,
  ]);
}
