import { unseal } from '../../../../src/event-store/sealing.js';
import type { EventEnvelope } from '../../../../src/kernel/envelope.js';
import { golden, preludeOf } from '../../../audit/support/bundles.js';

/** The log of a golden interaction, as `GET /v1/events` would export it: its parties first. */
export function goldenExport(name: string, withTexts = true): readonly string[] {
  const told = golden(name);
  const keyOf = (stream: string): Uint8Array =>
    Buffer.from(told.dataKeys[stream] ?? '', 'base64url');
  return [...preludeOf(told), ...told.events].map((event, place) =>
    lineOf(
      event,
      place,
      event.sealed === null || !withTexts ? null : unseal(event.sealed, keyOf(event.stream), event),
    ),
  );
}

function lineOf(envelope: EventEnvelope, place: number, texts: object | null): string {
  const { id, type, stream, revision, recordedAt, schemaVersion, data, sealed, salt, metadata } =
    envelope;
  return JSON.stringify({
    specversion: '1.0',
    id,
    source: 'https://countersign.example/v1/events',
    type,
    subject: stream,
    time: recordedAt,
    datacontenttype: 'application/json',
    revision,
    position: String(place + 1).padStart(20, '0'),
    data: { type, schemaVersion, data, sealed, salt, metadata, texts },
  });
}
