import { describe, expect, it } from '@jest/globals';
import {
  countWithin,
  exactly,
  entryTexts,
  type EventPages,
} from '../../../src/audit/evidence/placed-entries.js';
import type { IsTold } from '../../../src/audit/evidence/told-to.js';
import { decodeBase64Url } from '../../../src/kernel/base64url.js';
import type { RecordedEnvelope } from '../../../src/event-store/port.js';
import { envelopeText } from '../../../src/kernel/envelope.js';
import type { EvidenceEntry } from '../../../src/kernel/evidence-bundle.js';
import { leafHash, verifyInclusion } from '../../../src/kernel/merkle.js';
import { envelope } from '../support/bundles.js';
import { err, ok } from '../../../src/kernel/result.js';
import { MemoryLog, positionOf } from './support/memory-log.js';

/** A stream among others: every third leaf is one of its events. */
function streamIn(log: MemoryLog, length: number): readonly RecordedEnvelope[] {
  const events = Array.from({ length }, (_, revision) => ({
    ...envelope('agent-a', revision, revision % 2 === 0 ? 'agent-registered' : 'agent-retired', {}),
    position: positionOf(3 * revision + 2),
  }));
  for (const event of events) {
    log.add(leafHash('foreign'), leafHash('others'));
    log.add(leafHash(envelopeText(event)));
  }
  return events;
}

/** As they are read: a few at a time. */
async function* paged(events: readonly RecordedEnvelope[]): EventPages {
  for (let begin = 0; begin < events.length; begin += 4) {
    yield Promise.resolve(events.slice(begin, begin + 4));
  }
}

async function read(texts: AsyncIterable<string>): Promise<readonly EvidenceEntry[]> {
  const entries: EvidenceEntry[] = [];
  for await (const text of texts) entries.push(JSON.parse(text) as EvidenceEntry);
  return entries;
}

const hashesOf = (texts: readonly string[]) => texts.map((text) => decodeBase64Url(text)!);

describe('events within a tree', () => {
  it.each([0, 1, 2, 3, 7, 20])('%i of a stream are counted at every size', async (length) => {
    const log = new MemoryLog();
    const events = streamIn(log, length);
    for (let size = 0; size <= log.size(); size++) {
      const within = events.filter((event) => log.indexOf(leafHash(envelopeText(event)))! < size);
      const last = within.at(-1);
      const index = 3 * within.length - 1;
      expect(await countWithin(paged(events), log, size)).toEqual(
        ok({ count: within.length, last: last && { position: last.position, index } }),
      );
    }
  });

  it('those that the tree does not hold yet are beyond it', async () => {
    const log = new MemoryLog();
    const events = streamIn(log, 3);
    const next = { ...envelope('agent-a', 3, 'agent-retired', {}), position: positionOf(9) };
    const last = { position: events[2]!.position, index: 8 };
    expect(await countWithin(paged([...events, next]), log, log.size())).toEqual(
      ok({ count: 3, last }),
    );
  });

  it.each([0, 2, 4])('none is left out because it was changed: event %i of 5', async (changed) => {
    const log = new MemoryLog();
    const events = streamIn(log, 5).map((event, revision) =>
      revision === changed ? { ...event, data: { changed: true } } : event,
    );
    const refusal = err({ code: 'log-inconsistent' });
    expect(await countWithin(paged(events), log, log.size())).toEqual(refusal);
  });

  it.each([0, 2])('none is left out because it was deleted: event %i of 4', async (deleted) => {
    const log = new MemoryLog();
    const events = streamIn(log, 4).filter((_, revision) => revision !== deleted);
    expect(await countWithin(paged(events), log, log.size())).toEqual(
      err({ code: 'log-inconsistent' }),
    );
  });

  it('none is left out because the tree is being made anew', async () => {
    const log = new MemoryLog();
    const events = streamIn(log, 3);
    const behind = err({ code: 'checkpoint-behind' });
    expect(await countWithin(paged(events), new MemoryLog(), log.size())).toEqual(behind);
  });
});

describe('entries', () => {
  it('each lead to the root of the tree, told or withheld', async () => {
    const log = new MemoryLog();
    const events = streamIn(log, 150);
    const size = log.size();
    const isTold: IsTold = ({ type }) => type === 'agent-registered';
    const entries = await read(entryTexts(paged(events), log, size, isTold));
    expect(entries).toHaveLength(150);
    entries.forEach((entry, revision) => {
      const isEnvelope = 'envelope' in entry;
      expect(isEnvelope).toBe(revision % 2 === 0);
      if (isEnvelope) expect(envelopeText(entry.envelope)).toBe(envelopeText(events[revision]!));
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

  it('leave others their turn, however long each proof takes', async () => {
    const log = new MemoryLog();
    const events = streamIn(log, 30);
    const slow = {
      indexOf: (leaf: Uint8Array) => log.indexOf(leaf),
      inclusionProofs: (size: number) => (index: number) => {
        const until = performance.now() + 3;
        while (performance.now() < until);
        return log.inclusionProofs(size)(index);
      },
    };
    let turns = 0;
    const others = setInterval(() => turns++, 1);
    await read(entryTexts(paged(events), slow, log.size(), () => true));
    clearInterval(others);
    expect(turns).toBeGreaterThan(5);
  });

  it('withheld ones say nothing but their place', async () => {
    const log = new MemoryLog();
    const events = streamIn(log, 2);
    const [, withheld] = await read(entryTexts(paged(events), log, log.size(), () => false));
    expect(Object.keys(withheld!).sort()).toEqual(['inclusion', 'index', 'leafHash', 'revision']);
  });

  it('an engine’s position is not among what is told', async () => {
    const log = new MemoryLog();
    const events = streamIn(log, 1);
    const [entry] = await read(entryTexts(paged(events), log, log.size(), () => true));
    expect(entry).toHaveProperty('envelope.revision', 0);
    expect(entry).not.toHaveProperty('envelope.position');
  });

  it('are as many as were counted, or break off', async () => {
    const log = new MemoryLog();
    const events = streamIn(log, 9);
    const texts = (): AsyncIterable<string> =>
      entryTexts(paged(events), log, log.size(), () => true);
    expect(await read(exactly(9, texts()))).toHaveLength(9);
    await expect(read(exactly(10, texts()))).rejects.toThrow('has lost an event');
  });
});
