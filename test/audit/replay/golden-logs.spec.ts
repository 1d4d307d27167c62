import { readdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { AGENT_EVENT_TYPES } from '../../../src/agents/event-types.js';
import { PLATFORM_KEY_EVENT_TYPES } from '../../../src/attestation/event-types.js';
import { replayedEvent } from '../../../src/audit/replay/dto/replayed-event.js';
import { CARD_EVENT_TYPES } from '../../../src/capabilities/card-event-types.js';
import { CAPABILITY_EVENT_TYPES } from '../../../src/capabilities/event-types.js';
import { envelopeText } from '../../../src/kernel/envelope.js';
import { INTERACTION_EVENT_TYPES } from '../../../src/interactions/event-types.js';
import { INVOCATION_EVENT_TYPES } from '../../../src/invocations/event-types.js';
import { readStored } from '../../golden/stored-log.js';
import { EVENT_SCHEMA_BASE, schemaFaults } from '../../support/event-schemas.js';
import { asking, reader, replayOf } from './support/golden-replay.js';

const GOLDEN = new URL('../../golden/', import.meta.url);
const FILES = [
  'agents/lives.json',
  'agents/sealed-policies.json',
  'platform-keys.json',
  'capabilities.json',
  'cards.json',
  'invocations.json',
  'invocations-by-contract.json',
  ...['interactions', 'interactions-erased'].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, GOLDEN)).map((file) => `${folder}/${file}`),
  ),
];

const AUDITED_TYPES = {
  ...AGENT_EVENT_TYPES,
  ...PLATFORM_KEY_EVENT_TYPES,
  ...CAPABILITY_EVENT_TYPES,
  ...CARD_EVENT_TYPES,
  ...INTERACTION_EVENT_TYPES,
  ...INVOCATION_EVENT_TYPES,
};

const AUDITOR = reader('nobody', 'audit:read-all');
const seen = new Set<string>();

it.each(FILES)('%s is replayed as it was stored, each event as its schema says', async (file) => {
  const log = readStored(new URL(file, GOLDEN));
  const { replay, dispose } = await replayOf(log);
  try {
    for (const texts of [true, false]) {
      const { events, isMore } = await replay.page(AUDITOR, asking({ texts }), 1000);
      expect(isMore).toBe(false);
      expect(events.map(({ envelope }) => envelopeText(envelope))).toEqual(
        log.events.map(envelopeText),
      );
      for (const event of events) {
        const { dataschema, data } = replayedEvent(event, 'https://countersign.example');
        const schema = dataschema.slice(EVENT_SCHEMA_BASE.length, -'.schema.json'.length);
        expect([schema, schemaFaults(schema, data)]).toEqual([schema, []]);
        const { sealed, stream } = event.envelope;
        const isOpened = texts && Object.hasOwn(log.dataKeys ?? {}, stream);
        expect('texts' in data).toBe(isOpened || sealed === null);
        seen.add(event.envelope.type).add(schema);
      }
    }
  } finally {
    await dispose();
  }
});

it('which was every type of event, and every form of each', () => {
  const forms = Object.entries(AUDITED_TYPES).flatMap(([type, { schemaVersion }]) => [
    type,
    ...Array.from({ length: schemaVersion - 1 }, (_, index) => `${type}.v${String(index + 1)}`),
  ]);
  expect([...seen].sort()).toEqual(forms.sort());
});
