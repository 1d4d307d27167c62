import { CapabilityHandler } from 'countersign/handlers';

/** Says what it is told: the least that a handler can do. */
class Echo {
  async *handle({ message }) {
    const text = message.parts.map((part) => part.text ?? '').join('\n');
    yield {
      kind: 'artifact',
      artifact: { artifactId: 'echo', parts: [{ text }] },
      lastChunk: true,
    };
    yield { kind: 'completed' };
  }
}

CapabilityHandler('echo')(Echo);

export const handlers = [Echo];
