import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { readHandlerEvent } from '../../../src/a2a/handlers/handler-event.js';
import { parseStrictJson } from '../../../src/kernel/strict-json.js';
import { FINANCE } from '../../capabilities/support/capabilities.js';
import { RUNS } from '../../support/property-runs.js';

const read = (said: unknown): unknown => {
  const event = readHandlerEvent(said, FINANCE);
  return event.ok ? event.value : event.error;
};

const artifact = (part: unknown, more: object = {}): object => ({
  kind: 'artifact',
  artifact: { artifactId: 'a', parts: [part], ...more },
});

describe('what a handler says', () => {
  it.each<[string, object]>([
    ['nothing yet', { kind: 'working' }],
    ['words', { kind: 'working', parts: [{ text: 'soon' }] }],
    ['an empty text', artifact({ text: '' })],
    ['data that is null', artifact({ data: null })],
    ['bytes', artifact({ raw: 'AAEC', mediaType: 'image/png', filename: 'a.png' })],
    ['an address', artifact({ url: 'https://a.example/b' })],
    ['a chunk', { ...artifact({ text: 'x' }), append: true, lastChunk: false }],
    ['a named artifact', artifact({ text: 'x' }, { name: 'N', description: 'D\nd', metadata: {} })],
    ['an end', { kind: 'completed', parts: [{ text: 'x' }], metadata: { cost: 1 } }],
    ['a failure', { kind: 'failed', isUnknown: true }],
    ['a question', { kind: 'input-required', parts: [{ text: 'Which?' }] }],
    ['an answer', { kind: 'message', parts: [{ text: 'pong' }] }],
  ])('is taken as it is: %s', (_, event) => {
    expect(read(event)).toEqual(event);
  });

  it('may be many parts, and data as deep as a backend may give', () => {
    const parts = Array.from({ length: 1000 }, (_, index) => ({ text: String(index) }));
    expect(read({ kind: 'working', parts })).toEqual({ kind: 'working', parts });
    let data: unknown = 'deep';
    for (let depth = 0; depth < 64; depth++) data = [data];
    expect(read(artifact({ data }))).toEqual(artifact({ data }));
    expect(read(artifact({ data: [data] }))).toMatch('json-too-deep');
  });

  it('leaves out what A2A does not know, and what is undefined', () => {
    const said = { ...artifact({ text: 'x', kind: 'text', data: undefined }), append: undefined };
    expect(read(said)).toEqual(artifact({ text: 'x' }));
  });

  it('is what it was then, whatever becomes of it', () => {
    const said = { kind: 'artifact', artifact: { artifactId: 'a', parts: [{ text: 'one' }] } };
    const event = read(said);
    said.artifact.parts[0]!.text = 'two';
    said.artifact.parts.push({ text: 'three' });
    expect(event).toEqual(artifact({ text: 'one' }));
  });

  it.each<[string, unknown, string]>([
    ['no event', 'working', 'what is no event'],
    ['nothing', undefined, 'what is no unambiguous JSON (json-no-value)'],
    ['an unknown kind', { kind: 'sings' }, 'an unknown kind of event'],
    ['a kind of every object', { kind: 'constructor' }, 'an unknown kind of event'],
    ['a big integer', artifact({ data: 10n }), 'what is no unambiguous JSON (json-no-value)'],
    ['a function', artifact({ data: () => 1 }), 'what is no unambiguous JSON (json-no-value)'],
    ['no number', artifact({ data: NaN }), 'what is no unambiguous JSON (json-no-value)'],
    [
      'half an emoji',
      artifact({ text: '😀'.slice(0, 1) }),
      'what is no unambiguous JSON (json-lone-surrogate)',
    ],
    [
      'a number as a text',
      artifact({ text: 5 }),
      'artifact, of which /artifact/parts/0/text must be a string',
    ],
    [
      'two contents',
      artifact({ text: 'a', data: 1 }),
      'artifact, of which /artifact/parts/0 must have exactly one of text, raw, url and data',
    ],
    [
      'no parts',
      { kind: 'artifact', artifact: { artifactId: 'a', parts: [] } },
      'artifact, of which /artifact/parts is missing or empty',
    ],
    [
      'no id',
      { kind: 'artifact', artifact: { artifactId: '', parts: [{ text: 'x' }] } },
      'artifact, of which /artifact/artifactId is missing or empty',
    ],
    [
      'bytes that are none',
      artifact({ raw: 'no base64!' }),
      'artifact, of which /artifact/parts/0/raw is not base64',
    ],
    [
      'parts that are no list',
      { kind: 'completed', parts: { text: 'x' } },
      'completed, of which /parts must be an array',
    ],
    [
      'metadata that is no object',
      { kind: 'failed', metadata: 'x' },
      'failed, of which /metadata must be an object',
    ],
    [
      'an answer without a word',
      { kind: 'message', parts: [] },
      'message, of which /parts is missing or empty',
    ],
    [
      'a flag that is none',
      { ...artifact({ text: 'x' }), append: 1 },
      'artifact, of which /append must be true or false',
    ],
  ])('is told without what it holds where it breaks the rules: %s', (_, said, how) => {
    expect(read(said)).toBe(how);
  });

  it('can be read by everybody once it is taken', () => {
    const contents = fc.record(
      {
        text: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('\ud83d')),
        data: fc.anything({ withBigInt: true, withDate: true, withMap: true }),
        mediaType: fc.constantFrom('text/plain', 'no type'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(contents, (part) => {
        const event = readHandlerEvent(artifact(part), FINANCE);
        if (!event.ok) return;
        const text = Buffer.from(JSON.stringify(event.value));
        const limits = { maxBytes: Infinity, maxDepth: 68, maxValues: Infinity };
        expect(parseStrictJson(text, limits)).toEqual({ ok: true, value: event.value });
      }),
      RUNS,
    );
  });
});
