import { expect, it } from '@jest/globals';
import { CARD_EVENT_TYPES } from '../../src/capabilities/card-event-types.js';
import type { CardEvent } from '../../src/capabilities/domain/card-events.js';
import {
  cardPublishing,
  type PublishedCards,
} from '../../src/capabilities/domain/card-publishing.js';
import { fold } from '../../src/kernel/event.js';
import { expectSchemasToHold, readStored, replay, type StoredLog } from './stored-log.js';

const log = readStored<StoredLog & { readonly published: object }>(
  new URL('./cards.json', import.meta.url),
);

it('the log holds every type of event', () => {
  const types = new Set(log.events.map(({ type }) => type));
  expect([...types].sort()).toEqual(Object.keys(CARD_EVENT_TYPES).sort());
});

it('matches the schemas of its events', () => {
  expectSchemasToHold(log, CARD_EVENT_TYPES);
});

it('folds to the same numbers', () => {
  const events = replay<CardEvent>(log, CARD_EVENT_TYPES);
  const { lists, ...newest } = fold<PublishedCards, CardEvent>(
    (state, event) => cardPublishing.evolve(state, event),
    cardPublishing.initial,
    events,
  );
  expect({ ...newest, lists: [...lists] }).toEqual(log.published);
});
