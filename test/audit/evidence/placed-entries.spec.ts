import { describe, expect, it } from '@jest/globals';
import { countWithin, entryTexts } from '../../../src/audit/evidence/placed-entries.js';
import { decodeBase64Url } from '../../../src/kernel/base64url.js';
import { envelopeText, type EventEnvelope } from '../../../src/kernel/envelope.js';
import type { EvidenceEntry } from '../../../src/kernel/evidence-bundle.js';
import { leafHash, verifyInclusion } from '../../../src/kernel/merkle.js';
import { envelope } from '../support/bundles.js';
import { MemoryLog } from './support/memory-log.js';

/** A stream among others: every third leaf is one of its events. */
function streamIn(log: MemoryLog, length: number): readonly EventEnvelope[] {
  const events = Array.from({ length }, (_, revision) =>
    envelope('agent-a', revision, revision % 2 === 0 ? 'agent-registered' : 'agent-retired', {}),
  );
  for (const event of events) {
    log.add(leafHash('foreign'), leafHash('others'));
    log.add(leafHash(envelopeText(event)));
  }
  return events;
}

async function read(texts: AsyncIterable<string>): Promise<readonly EvidenceEntry[]> {
  const entries: EvidenceEntry[] = [];
  for await (const text of texts) entries.push(JSON.parse(text) as EvidenceEntry);
  return entries;
}

const hashesOf = (texts: readonly string[]) => texts.map((text) => decodeBase64Url(text)!);

describe('events within a tree', () => {
  it.each([0, 1, 2, 3, 7, 20])('%i of a stream are counted at every size', (length) => {
    const log = new MemoryLog();
    const events = streamIn(log, length);
    for (let size = 0; size <= log.size(); size++) {
      const within = events.filter((event) => log.indexOf(leafHash(envelopeText(event)))! < size);
      expect(countWithin(events, log, size)).toBe(within.length);
    }
  });

  it('those that the tree does not hold yet are beyond it', () => {
    const log = new MemoryLog();
    const events = streamIn(log, 3);
    const more = [...events, envelope('agent-a', 3, 'agent-retired', {})];
    expect(countWithin(more, log, log.size())).toBe(3);
  });
});

describe('entries', () => {
  it('each lead to the root of the tree, told or withheld', async () => {
    const log = new MemoryLog();
    const events = streamIn(log, 150);
    const size = log.size();
    const isTold = (type: string) => type === 'agent-registered';
    const entries = await read(entryTexts(events, log, size, isTold));
    expect(entries).toHaveLength(150);
    entries.forEach((entry, revision) => {
      const isEnvelope = 'envelope' in entry;
      expect(isEnvelope).toBe(revision % 2 === 0);
      if (isEnvelope) expect(entry.envelope).toEqual(events[revision]);
      else expect(entry.revision).toBe(revision);
      const leaf = isEnvelope
        ? leafHash(envelopeText(entry.envelope))
        : decodeBase64Url(entry.leafHash)!;
      const { index, inclusion } = entry;
      const proof = hashesOf(inclusion);
      const root = log.rootAt(size);
      expect(verifyInclusion({ leafHash: leaf, index, size, proof, root })).toBe(true);
    });
  });

  it('withheld ones say nothing but their place', async () => {
    const log = new MemoryLog();
    const events = streamIn(log, 2);
    const [, withheld] = await read(entryTexts(events, log, log.size(), () => false));
    expect(Object.keys(withheld!).sort()).toEqual(['inclusion', 'index', 'leafHash', 'revision']);
  });

  it('an engine’s position is not among what is told', async () => {
    const log = new MemoryLog();
    const [event] = streamIn(log, 1);
    const recorded = { ...event!, position: '00000000000000000001' };
    const texts = entryTexts([recorded], log, log.size(), () => true);
    expect(await read(texts)).toEqual([expect.objectContaining({ envelope: event })]);
  });
});
