import { describe, expect, it } from '@jest/globals';
import { verifyBundle } from '../../../src/audit/verify/verify-bundle.js';
import type { EvidenceBundle } from '../../../src/kernel/evidence-bundle.js';
import { goldenBundle, logKey, trusting } from '../support/bundles.js';

const trust = trusting(logKey);
const honest = goldenBundle('negotiated-amended-completed');
const copy = () => JSON.parse(JSON.stringify(honest)) as Record<string, never> & EvidenceBundle;

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { inner: value };
  return value;
}

function cyclic(): unknown {
  const value: Record<string, unknown> = copy();
  value['document'] = value;
  return value;
}

function withEnvelope(change: (envelope: Record<string, unknown>) => unknown): unknown {
  const bundle = copy();
  const streams = bundle.streams as unknown as Record<string, { envelope: unknown }[]>;
  for (const entries of Object.values(streams)) {
    for (const entry of entries) entry.envelope = change(entry.envelope as Record<string, unknown>);
  }
  return bundle;
}

const parsed = (text: string): unknown => JSON.parse(text) as unknown;

describe('whatever a bundle is, the verifier answers', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'bundle'],
    ['a list', [[]]],
    ['nothing but its name', { bundle: 'countersign/evidence-bundle' }],
    ['another version', { ...copy(), version: 2 }],
    ['an unknown member', { ...copy(), trusted: true }],
    ['keys of its own', { ...copy(), keys: ['log+key'] }],
    ['100 000 levels', { ...copy(), document: deep(100_000) }],
    ['itself', cyclic()],
    ['eleven million values', { ...copy(), document: { list: Array<number>(11_000_000).fill(0) } }],
    ['a lone surrogate', { ...copy(), document: { text: '\ud83d' } }],
    ['a name that is no text', { ...copy(), document: { '\ud83d': 1 } }],
    ['a function', { ...copy(), document: { toJSON: () => 1 } }],
    ['undefined', { ...copy(), document: undefined }],
    ['NaN', { ...copy(), consistency: { from: Number.NaN, proof: [] } }],
    ['no streams', { ...copy(), streams: {} }],
    ['a list of streams', { ...copy(), streams: [] }],
    ['empty streams', { ...copy(), streams: { 'platform-keys': [] } }],
    [
      'a prototype for a stream',
      { ...copy(), streams: parsed('{"__proto__":[],"constructor":[]}') },
    ],
    ['a prototype for its id', { ...copy(), interactionId: '__proto__' }],
    ['200 001 entries', manyEntries(200_001)],
    ['40 streams', { ...copy(), streams: manyStreams(40) }],
    ['19 streams', { ...copy(), streams: manyStreams(19) }],
    ['no checkpoint', { ...copy(), checkpoint: 'x' }],
    ['a checkpoint without a tree', { ...copy(), checkpoint: 'a\n0\nAAAA\n\n\u2014 a AAAAAAAA\n' }],
    ['no envelopes', withEnvelope(() => ({}))],
    ['envelopes with a prototype', withEnvelope(() => parsed('{"__proto__":{"stream":"x"}}'))],
    [
      'revisions that are objects',
      withEnvelope((old) => ({ ...old, revision: { valueOf: 1, toString: 1 } })),
    ],
    ['data that is a list', withEnvelope((old) => ({ ...old, data: [] }))],
    ['data that is null', withEnvelope((old) => ({ ...old, data: null }))],
    [
      'parties that are numbers',
      withEnvelope((old) => ({ ...old, data: { parties: [1, {}, null] } })),
    ],
    [
      'data of a prototype',
      withEnvelope((old) => ({ ...old, data: parsed('{"__proto__":{"a":1}}') })),
    ],
    ['unknown types', withEnvelope((old) => ({ ...old, type: 'to-string' }))],
    ['a type of the prototype', withEnvelope((old) => ({ ...old, type: 'constructor' }))],
    ['a later version', withEnvelope((old) => ({ ...old, schemaVersion: 2 }))],
    ['a key of another length', { ...copy(), dataKey: 'AAAA' }],
    ['a document of another kind', { ...copy(), document: { status: 'active' } }],
  ])('%s', (_, bundle) => {
    const begin = process.cpuUsage();
    const { result, checks } = verifyBundle(bundle, trust);
    expect(result).not.toBe('verified');
    expect(checks.length).toBeGreaterThan(0);
    // Of the processor: the clock also counts what else the machine does.
    expect(process.cpuUsage(begin).user).toBeLessThan(10_000_000);
  });
});

function manyEntries(count: number): unknown {
  const [entry] = honest.streams['platform-keys'] ?? [];
  return { ...copy(), streams: { 'platform-keys': Array(count).fill(entry) } };
}

function manyStreams(count: number): Record<string, never[]> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`agent-a${index}`, []]));
}

it('more entries than are looked at are no failure', () => {
  const entry = { index: 0, inclusion: [], revision: 0, leafHash: 'A'.repeat(43) };
  const streams = { 'agent-a': Array<object>(200_001).fill(entry) };
  const { result, checks } = verifyBundle({ ...copy(), streams }, trust);
  expect(result).toBe('not-checkable');
  expect(checks.at(-1)).toMatchObject({ check: 'limits', reason: 'too-many' });
});

it('of many keys that fit no signature only some are tried', () => {
  const bundle = copy();
  const streams = bundle.streams as unknown as Record<
    string,
    { envelope: { type: string; data: Record<string, Record<string, Record<string, unknown>>> } }[]
  >;
  for (const entries of Object.values(streams)) {
    for (const { envelope } of entries) {
      const signature = envelope.data['acceptance']?.['signature'];
      if (signature !== undefined) signature['keyId'] = 'another';
    }
  }
  const { checks } = verifyBundle(bundle, trust);
  const acceptances = checks.filter(({ check }) => check === 'acceptance');
  expect(acceptances.map(({ reason }) => reason)).toEqual(acceptances.map(() => 'key-id-wrong'));
});
