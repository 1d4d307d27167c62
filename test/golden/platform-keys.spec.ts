import { expect, it } from '@jest/globals';
import type { PlatformKeyEvent } from '../../src/attestation/domain/events.js';
import { evolve } from '../../src/attestation/domain/evolve.js';
import type { PlatformKey, PlatformKeys } from '../../src/attestation/domain/platform-key.js';
import { PLATFORM_KEY_EVENT_TYPES } from '../../src/attestation/event-types.js';
import { fold } from '../../src/kernel/event.js';
import { expectSchemasToHold, readStored, replay, type StoredLog } from './stored-log.js';

const log = readStored<StoredLog & { readonly keys: readonly PlatformKey[] }>(
  new URL('./platform-keys.json', import.meta.url),
);

it('the log holds every type of event', () => {
  const types = new Set(log.events.map(({ type }) => type));
  expect([...types].sort()).toEqual(Object.keys(PLATFORM_KEY_EVENT_TYPES).sort());
});

it('matches the schemas of its events', () => {
  expectSchemasToHold(log, PLATFORM_KEY_EVENT_TYPES);
});

it('folds to the same keys', () => {
  const none: PlatformKeys = new Map();
  const keys = fold(evolve, none, replay<PlatformKeyEvent>(log, PLATFORM_KEY_EVENT_TYPES));
  expect([...keys.values()]).toEqual(log.keys);
});
