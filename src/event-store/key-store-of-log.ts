import { createHmac } from 'node:crypto';
import { ERASED, type Decider, type DomainEvent } from '../kernel/event.js';
import { ok } from '../kernel/result.js';
import type { Clock } from '../kernel/timestamp.js';
import { keyScopeOf, type EventTypes } from './codec.js';
import { CommandExecution, commandIdentity, type RandomBytes } from './command-execution.js';
import type { DataKey, KeyStore } from './key-store.js';
import type { EventStore } from './port.js';

/** Every text of the log is sealed with keys of the key store that has this fingerprint. */
export type KeyStoreChosen = DomainEvent<
  'key-store-chosen',
  { readonly fingerprint: string },
  null
>;

export const KEY_STORE_EVENT_TYPES: EventTypes<KeyStoreChosen> = {
  'key-store-chosen': { schemaVersion: 1 },
};

/** One of the service's own books, outside of the audited log; also the scope of a key that seals nothing. */
export const KEY_STORE_STREAM = 'process-key-store';

const ACTOR = { principal: 'process:key-store', agent: null, tenant: null };

/** The first choice stands; state is its fingerprint. */
const CHOICE: Decider<string | null, string, KeyStoreChosen, undefined> = {
  initial: null,
  evolve: (_, { data }) => data.fingerprint,
  decide: (chosen, fingerprint) =>
    ok(chosen === null ? [{ type: 'key-store-chosen', data: { fingerprint }, texts: null }] : []),
};

/**
 * Whether the key store is the one of the log. A log that has none yet takes this one: of two nodes
 * that begin it at once with different key stores, one is told that its is not.
 */
export async function isKeyStoreOfLog(
  keys: KeyStore,
  log: EventStore,
  { clock, random }: { readonly clock: Clock; readonly random: RandomBytes },
): Promise<boolean> {
  const key = await keys.obtain(keyScopeOf(KEY_STORE_STREAM));
  if (key === ERASED) return false;
  const fingerprint = fingerprintOf(key);
  const identity = commandIdentity({
    actor: ACTOR,
    idempotencyKey: undefined,
    content: { kind: 'choose-key-store', target: KEY_STORE_STREAM, body: { fingerprint } },
    head: null,
  });
  const execution = new CommandExecution(log, keys, CHOICE, KEY_STORE_EVENT_TYPES, clock, random);
  const chosen = await execution.execute(
    KEY_STORE_STREAM,
    fingerprint,
    {
      ...identity,
      actor: ACTOR,
      correlationId: identity.commandId,
      causationId: null,
      traceparent: null,
    },
    () => Promise.resolve(ok({ context: undefined, basedOn: {} })),
  );
  return chosen.ok && chosen.value.state === fingerprint;
}

/** b64u(HMAC-SHA-256): tells nothing of the key, which is random and has no other use. */
function fingerprintOf(key: DataKey): string {
  return createHmac('sha256', key).update('countersign key store').digest('base64url');
}
