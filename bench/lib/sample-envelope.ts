import type { NewEnvelope, Sealed } from '../../src/kernel/envelope.js';
import type { Timestamp } from '../../src/kernel/timestamp.js';

/** Sealed bytes of a contract of ordinary length. */
const SEALED_BYTES = 1_100;

/**
 * An event of the size that a proposal has: about 1.5 kB of sealed contract, as much again of
 * identifiers, hashes and metadata.
 */
export function sampleEnvelope(randomBytes: (size: number) => Buffer): NewEnvelope {
  const id = crypto.randomUUID();
  const hash = randomBytes(32).toString('base64url');
  return {
    id,
    type: 'revision-proposed',
    recordedAt: '2030-01-02T03:04:05.678Z' as Timestamp,
    schemaVersion: 1,
    data: {
      interactionId: id,
      revisionId: crypto.randomUUID(),
      revision: 2,
      termsHash: hash,
      previousTermsHash: hash,
      proposedByAgentId: 'did:web:alpha.example',
      acceptance: {
        agentId: 'did:web:alpha.example',
        method: 'ed25519',
        termsHash: hash,
        acceptedAt: '2030-01-02T03:04:05Z',
        signature: {
          algorithm: 'Ed25519',
          keyId: 'alpha-1',
          value: randomBytes(64).toString('base64url'),
        },
      },
    },
    sealed: randomBytes(SEALED_BYTES).toString('base64url') as Sealed,
    salt: randomBytes(16).toString('base64url'),
    metadata: {
      commandId: crypto.randomUUID(),
      requestDigest: hash,
      actor: { principal: 'user-4711', agent: 'did:web:alpha.example', tenant: 'acme' },
      correlationId: crypto.randomUUID(),
      causationId: null,
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      basedOn: { 'agent-did:web:alpha.example': 3 },
    },
  };
}
