import { randomBytes } from 'node:crypto';
import type { EventStore } from '../../../src/event-store/port.js';
import type { KeyStore } from '../../../src/event-store/key-store.js';
import { openPostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { openPostgresKeyStore } from '../../../src/event-store/postgres/postgres-key-store.js';
import type { Elsewhere } from '../../contracts/support/child.js';

interface Place {
  readonly kind: 'events' | 'keys';
  readonly url: string;
  readonly namespace: string;
}

/** How another process reaches a store. */
export function elsewhere(place: Place): Elsewhere {
  return { module: import.meta.url, address: JSON.stringify(place) };
}

/**
 * What another process calls.
 * @public
 */
export function open(address: string): Promise<EventStore | KeyStore> {
  const { kind, url, namespace } = JSON.parse(address) as Place;
  return kind === 'events'
    ? openPostgresEventStore(url, { namespace })
    : openPostgresKeyStore(url, { namespace, randomBytes });
}
