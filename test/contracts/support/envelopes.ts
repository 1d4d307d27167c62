import { randomBytes, randomUUID } from 'node:crypto';
import type { NewEnvelope, Sealed } from '../../../src/kernel/envelope.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';

type Overrides = Partial<Omit<NewEnvelope, 'sealed'>> & { readonly sealed?: string | null };

/** An event with an id of its own. */
export function envelope({ sealed = null, ...overrides }: Overrides = {}): NewEnvelope {
  return {
    id: randomUUID(),
    type: 'thing-happened',
    recordedAt: '2030-01-02T03:04:05.678Z' as Timestamp,
    schemaVersion: 1,
    data: { note: 'naïve “quotes” and 🦊' },
    sealed: sealed as Sealed | null,
    salt: randomBytes(16).toString('base64url'),
    metadata: {
      commandId: randomUUID(),
      requestDigest: 'GEzQPFWoVTTnPMhE5NBBTpUqLWdcqBbZLrRw9yFTbXU',
      actor: { principal: 'user-1', agent: 'did:web:alpha.example', tenant: 'acme' },
      correlationId: randomUUID(),
      causationId: null,
      traceparent: null,
      basedOn: { 'agent-did:web:alpha.example': 4 },
    },
    ...overrides,
  };
}

export function envelopes(count: number, data: JsonObject = {}): NewEnvelope[] {
  return Array.from({ length: count }, (_, index) => envelope({ data: { ...data, index } }));
}

let streams = 0;

/** A stream name that nobody has used. */
export function freshStream(prefix = 'interaction-'): string {
  return `${prefix}${randomUUID()}-${String(streams++)}`;
}
