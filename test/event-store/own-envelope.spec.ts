import { expect, it } from '@jest/globals';
import { ownEnvelope, type OwnWriter } from '../../src/event-store/own-envelope.js';
import { hashJson } from '../../src/kernel/digest.js';
import type { DomainEvent } from '../../src/kernel/event.js';
import { timestampOf } from '../../src/kernel/timestamp.js';

type Noted = DomainEvent<'noted', { readonly what: string }, null>;

const TYPES = { noted: { schemaVersion: 3, upcasters: [] } };
const EVENT: Noted = { type: 'noted', data: { what: 'something' }, texts: null };
const NOW = Date.parse('2030-01-01T00:00:00.000Z');

function writer(seed: number, principal = 'process:expiry'): OwnWriter {
  return { principal, clock: () => NOW, random: (size) => new Uint8Array(size).fill(seed) };
}

it('is nobody’s command: its own id, the writer as actor, nothing sealed', () => {
  const envelope = ownEnvelope(writer(1), EVENT, TYPES, undefined);
  const { id } = envelope;
  expect(envelope).toEqual({
    id,
    type: 'noted',
    recordedAt: timestampOf(NOW),
    schemaVersion: 3,
    data: { what: 'something' },
    sealed: null,
    salt: 'AQEBAQEBAQEBAQEBAQEBAQ',
    metadata: {
      commandId: id,
      requestDigest: hashJson({ what: 'something' }),
      actor: { principal: 'process:expiry', agent: null, tenant: null },
      correlationId: id,
      causationId: null,
      traceparent: null,
      basedOn: {},
    },
  });
});

it('has a random id: nodes that write the same at once are not taken for one, nor are writers', () => {
  const ids = [writer(1), writer(2), writer(1, 'process:erasure')].map(
    (each) => ownEnvelope(each, EVENT, TYPES, undefined).id,
  );
  expect(new Set(ids).size).toBe(3);
});

it('is recorded no earlier than the event before it, whatever the clock says', () => {
  const recordedAfter = (milliseconds: number) =>
    ownEnvelope(writer(1), EVENT, TYPES, timestampOf(milliseconds)).recordedAt;
  expect(recordedAfter(NOW + 5)).toBe(timestampOf(NOW + 5));
  expect(recordedAfter(NOW - 5)).toBe(timestampOf(NOW));
});
