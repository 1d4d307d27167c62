import { expect, it } from '@jest/globals';
import { verifyBundle } from '../../../src/audit/verify/verify-bundle.js';
import { encodeBase64Url } from '../../../src/kernel/base64url.js';
import { envelopeText } from '../../../src/kernel/envelope.js';
import type { EvidenceBundle, EvidenceEntry } from '../../../src/kernel/evidence-bundle.js';
import { leafHash, nodeHash } from '../../../src/kernel/merkle.js';
import { checkpointNote, goldenBundle, logKey, trusting } from '../support/bundles.js';

/** A tree that is full: every leaf has a path of the same length. */
const DEPTH = 16;

/** Bottom up, the leaves first. */
function levelsOf(leaves: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  const levels = [leaves];
  for (let level = leaves; level.length > 1; levels.push(level)) {
    const below = level;
    level = Array.from({ length: below.length / 2 }, (_, nth) =>
      nodeHash(below[2 * nth] as Uint8Array, below[2 * nth + 1] as Uint8Array),
    );
  }
  return levels;
}

/** The bundle of a golden interaction, one party of which has had so many more events since. */
function flooded(count: number): EvidenceBundle {
  const honest = goldenBundle('negotiated-amended-completed');
  const leaves = Array.from({ length: 2 ** DEPTH }, (_, index) => leafHash(`leaf ${index}`));
  const told = Object.values(honest.streams).flat();
  for (const entry of told) {
    if ('envelope' in entry) leaves[entry.index] = leafHash(envelopeText(entry.envelope));
  }
  const levels = levelsOf(leaves);
  const pathOf = (index: number): readonly string[] =>
    levels.slice(0, DEPTH).map((level, height) => {
      const sibling = (index >> height) ^ 1;
      return encodeBase64Url(level[sibling] as Uint8Array);
    });
  const streams: Record<string, EvidenceEntry[]> = {};
  for (const [stream, entries] of Object.entries(honest.streams)) {
    streams[stream] = entries.map((entry) => ({ ...entry, inclusion: pathOf(entry.index) }));
  }
  const own = streams['agent-agent-beta'] ?? [];
  const first = Math.max(...told.map(({ index }) => index)) + 1;
  for (let nth = 0; nth < count; nth++) {
    const index = first + nth;
    const leaf = encodeBase64Url(leaves[index] as Uint8Array);
    own.push({ index, inclusion: pathOf(index), revision: own.length, leafHash: leaf });
  }
  return { ...honest, streams, checkpoint: checkpointNote(leaves), consistency: null };
}

it('an agent that floods its own stream does not take the evidence from its counterpart', () => {
  const count = 50_000;
  const bundle = flooded(count);
  const begin = process.cpuUsage();
  const { result, checks, state } = verifyBundle(bundle, trusting(logKey));
  // Of the processor: the clock also counts what else the machine does.
  expect(process.cpuUsage(begin).user).toBeLessThan(20_000_000);
  expect(checks.filter((check) => check.result !== 'verified')).toEqual([]);
  expect(checks.filter(({ check }) => check === 'inclusion').length).toBeGreaterThan(count);
  expect([result, state?.status]).toEqual(['verified', 'completed']);
}, 120_000);
