import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreUnavailable, START } from '../../src/event-store/port.js';
import type { ProjectedEvent } from '../../src/projections/port.js';
import { LinkedSignal } from '../../src/threads/linked-signal.js';
import { eventually } from '../support/eventually.js';
import { Node, noteLog, notesIn, type NoteEvent } from './support/notes.js';
import { withMember } from './support/with-member.js';

let node: Node;

beforeEach(async () => {
  node = await Node.make();
});

afterEach(async () => {
  await node.close();
});

const throwing: Record<string, () => unknown> = {
  'throws an Error': () => {
    throw new TypeError('cannot read\n  this');
  },
  'throws something that is no Error': () => {
    throw 'a string'; // eslint-disable-line @typescript-eslint/only-throw-error
  },
  'throws undefined': () => {
    throw undefined; // eslint-disable-line @typescript-eslint/only-throw-error
  },
  'returns a promise that rejects': async () => Promise.reject(new Error('later')),
  'returns a promise that resolves': async () => Promise.resolve(),
};

const poison = (event: ProjectedEvent<NoteEvent>) =>
  event.type === 'note-written' && event.texts !== 'erased' && event.texts.text === 'poison';

describe.each(Object.keys(throwing))('case 25: a handler that %s', (name) => {
  it('parks the event after bounded retries and goes on with the next stream', async () => {
    let tries = 0;
    const runner = node.run([
      noteLog('notes', {
        before: (event) => {
          if (!poison(event)) return undefined;
          tries++;
          return throwing[name]?.();
        },
      }),
      noteLog('healthy'),
    ]);
    await node.write('note-1', 0, 'good');
    await node.write('note-1', 1, 'poison');
    await node.write('note-1', 2, 'behind');
    const last = await node.write('note-2', 0, 'next');
    expect(await runner.waitFor(last, 5000)).toBe(true);

    expect(notesIn(runner, 'notes').map(({ text }) => text)).toEqual(['good', 'next']);
    expect(notesIn(runner, 'healthy')).toHaveLength(4);
    expect(runner.isReliable('notes', 'note-1')).toBe(false);
    expect(runner.isReliable('notes', 'note-2')).toBe(true);
    expect(runner.isReliable('healthy', 'note-1')).toBe(true);
    expect(runner.parkedEvents('note-1')).toMatchObject([
      { projection: 'notes', revision: 1, attempts: 3, retrying: false },
      { projection: 'notes', revision: 2, attempts: 0, error: null },
    ]);
    expect(runner.parkedEvents('note-1')[0]?.error).not.toContain('\n');
    expect(node.reports).toContain('an event could not be applied');
    const triesOnceParked = tries;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(tries).toBe(triesOnceParked);
    const { stalled, projections } = await runner.health();
    expect(stalled).toBeNull();
    expect(projections[0]).toMatchObject({ parkedEvents: 2, unreliableStreams: 1, lagMs: 0 });
  });
});

describe('a handler that fails while batches of before are not committed yet', () => {
  it('loses and repeats nothing, for itself and for others', async () => {
    const runner = node.run(
      [
        noteLog('healthy'),
        noteLog('notes', {
          before: (event) => {
            if (poison(event)) throw new Error('no');
          },
        }),
        noteLog('healthy-too'),
      ],
      { batchSize: 2 },
    );
    const expected: string[] = [];
    for (let n = 0; n < 40; n++) {
      const text = n % 10 === 7 ? 'poison' : String(n);
      const last = await node.write(`note-${String(n)}`, 0, text);
      if (text !== 'poison') expected.push(text);
      if (n % 5 === 0) expect(await runner.waitFor(last, 5000)).toBe(true);
    }
    expect(await runner.waitFor(await node.store.head(), 5000)).toBe(true);
    expect(notesIn(runner, 'notes').map(({ text }) => text)).toEqual(expected);
    for (const name of ['healthy', 'healthy-too']) {
      expect(notesIn(runner, name).map(({ stream }) => stream)).toEqual(
        Array.from({ length: 40 }, (_, n) => `note-${String(n)}`),
      );
    }
    expect(runner.unreliableStreams('notes')?.size).toBe(4);
    expect(node.reports).not.toContain('projections stand still');
  });
});

describe('rows that are undone with those of a handler that fails', () => {
  it('are not missing from what a reader was told to be there, however slow the log is', async () => {
    let isSlow = false;
    let fails = false;
    const store = withMember(node.store, 'head', async () => {
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 300));
      return node.store.head();
    });
    const views = [
      noteLog('healthy'),
      noteLog('notes', {
        before: () => {
          if (!fails) return;
          fails = false;
          throw new Error('once');
        },
      }),
    ];
    const runner = node.run(views, { store });
    const first = await node.write('note-1', 0, 'one');
    expect(await runner.waitFor(first, 5000)).toBe(true);
    isSlow = fails = true;
    const last = await node.write('note-2', 0, 'two');
    const texts = (): string[] => notesIn(runner, 'healthy').map(({ text }) => text);
    let refusals = 0;
    for (let end = Date.now() + 600; Date.now() < end;) {
      if (await runner.waitFor(first, 0, ['healthy'])) expect(texts()).toContain('one');
      else refusals++;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(refusals).toBeGreaterThan(0);
    expect(await runner.waitFor(last, 5000)).toBe(true);
    expect(texts()).toEqual(['one', 'two']);
  });
});

describe('a parked stream', () => {
  it('is reliable again when a retry succeeds, with the events behind it in their order', async () => {
    let failures = 2;
    const runner = node.run([
      noteLog('notes', {
        before: (event) => {
          if (poison(event) && failures-- > 0) throw new Error('not yet');
        },
      }),
    ]);
    await node.write('note-1', 0, 'poison');
    await node.write('note-1', 1, 'second');
    const last = await node.write('note-1', 2, 'third');
    expect(await runner.waitFor(last, 5000)).toBe(true);
    await eventually(() => runner.isReliable('notes', 'note-1'));
    expect(notesIn(runner, 'notes').map(({ text }) => text)).toEqual(['poison', 'second', 'third']);
  });

  it('is tried again after a restart, as often as before and not for ever', async () => {
    let broken = true;
    let tries = 0;
    const notes = () =>
      noteLog('notes', {
        before: (event) => {
          if (!poison(event)) return;
          tries++;
          if (broken) throw new Error('broken');
        },
      });
    const first = node.run([notes()]);
    await node.write('note-1', 0, 'poison');
    const last = await node.write('note-1', 1, 'behind');
    expect(await first.waitFor(last, 5000)).toBe(true);
    expect(first.parkedEvents('note-1')[0]).toMatchObject({ attempts: 3, retrying: false });
    await node.halt();

    tries = 0;
    const second = node.run([notes()]);
    expect(await second.waitFor(last, 5000)).toBe(true);
    expect(tries).toBe(2);
    expect(second.isReliable('notes', 'note-1')).toBe(false);
    expect(second.parkedEvents('note-1')).toMatchObject([
      { revision: 0, attempts: 3, retrying: false },
      { revision: 1, attempts: 0, retrying: false },
    ]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(tries).toBe(2);
    await node.halt();

    broken = false;
    const third = node.run([notes()]);
    expect(await third.waitFor(last, 5000)).toBe(true);
    await eventually(() => third.isReliable('notes', 'note-1'));
    expect(third.parkedEvents('note-1')).toEqual([]);
    expect((await third.health()).projections[0]).toMatchObject({
      parkedEvents: 0,
      unreliableStreams: 0,
    });
    expect(notesIn(third, 'notes').map(({ text }) => text)).toEqual(['poison', 'behind']);
  });

  it('is not tried again when the store was away and the same start goes on', async () => {
    let tries = 0;
    let sessions = 0;
    let cut = (): void => undefined;
    const store = withMember(node.store, 'subscribeAll', async function* (after, options) {
      const ended = new AbortController();
      cut = () => {
        ended.abort();
      };
      sessions++;
      const signals = [ended.signal, options?.signal].filter((each) => each !== undefined);
      yield* node.store.subscribeAll(after, {
        ...options,
        signal: new LinkedSignal(signals).signal,
      });
    });
    const failing = noteLog('notes', {
      before: (event) => {
        if (!poison(event)) return;
        tries++;
        throw new Error('broken');
      },
    });
    const runner = node.run([failing], { store });
    const last = await node.write('note-1', 0, 'poison');
    expect(await runner.waitFor(last, 5000)).toBe(true);
    await eventually(() => runner.parkedEvents('note-1')[0]?.retrying === false);
    const triesOnceParked = tries;
    cut();
    await eventually(() => sessions === 2);
    await node.write('note-2', 0, 'next');
    await eventually(() => notesIn(runner, 'notes').length === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(tries).toBe(triesOnceParked);
  });

  it('is forgotten together with its projection', async () => {
    const failing = noteLog('failing', {
      before: () => {
        throw new Error('broken');
      },
    });
    const before = node.run([failing, noteLog('notes')], { retryDelaysMs: [60_000] });
    const last = await node.write('note-1', 0, 'poison');
    await eventually(() => before.parkedEvents('note-1').length === 1);
    await node.halt();
    const without = node.run([noteLog('notes')]);
    expect(await without.waitFor(last, 5000)).toBe(true);
    expect(without.parkedEvents('note-1')).toEqual([]);
    await node.halt();
    const again = node.run([noteLog('failing'), noteLog('notes')]);
    expect(await again.waitFor(last, 5000)).toBe(true);
    expect(notesIn(again, 'failing')).toHaveLength(1);
  });

  it('is forgotten by a rebuild', async () => {
    const before = node.run([
      noteLog('notes', {
        before: (event) => {
          if (poison(event)) throw new Error('broken');
        },
      }),
    ]);
    const last = await node.write('note-1', 0, 'poison');
    expect(await before.waitFor(last, 5000)).toBe(true);
    await node.halt();
    const after = node.run([noteLog('notes', { version: 2 })]);
    expect(await after.waitFor(last, 5000)).toBe(true);
    expect(after.isReliable('notes', 'note-1')).toBe(true);
    expect(after.parkedEvents('note-1')).toEqual([]);
    expect(notesIn(after, 'notes')).toHaveLength(1);
  });

  it('keeps readers of its position waiting only while it is retried by itself', async () => {
    const runner = node.run(
      [
        noteLog('notes', {
          before: (event) => {
            if (poison(event)) throw new Error('broken');
          },
        }),
      ],
      { retryDelaysMs: [400] },
    );
    expect(await runner.waitFor(START, 5000)).toBe(true);
    const last = await node.write('note-1', 0, 'poison');
    await eventually(() => runner.parkedEvents('note-1').length === 1);
    expect(await runner.waitFor(last, 20)).toBe(false);
    expect(await runner.waitFor(START, 0)).toBe(true);
    expect(await runner.waitFor(last, 5000)).toBe(true);
  });
});

/** More than several pages: see `stream-pages.ts`. */
const LONG = 120;
const A_PAGE = 32;

describe('a long stream that is parked', () => {
  const texts = ['poison', ...Array.from({ length: LONG - 1 }, (_, n) => String(n))];

  /** The whole stream waits behind its first event, whose retries are used up. */
  async function parkAll(): Promise<void> {
    const failing = noteLog('notes', {
      before: (event) => {
        if (poison(event)) throw new Error('broken');
      },
    });
    const runner = node.run([failing]);
    for (const [revision, text] of texts.entries()) await node.write('note-1', revision, text);
    await eventually(() => runner.parkedEvents('note-1').length === LONG);
    await eventually(() => runner.parkedEvents('note-1')[0]?.retrying === false);
    await node.halt();
  }

  /** Reads of the stream are in the test's hands. */
  const reading = (onRead: (events: number) => void) =>
    withMember(node.store, 'readStream', async (...asked) => {
      const events = await node.store.readStream(...asked);
      onRead(events.length);
      return events;
    });

  it('is read page by page when it is tried again', async () => {
    await parkAll();
    const reads: number[] = [];
    const runner = node.run([noteLog('notes')], { store: reading((events) => reads.push(events)) });
    expect(await runner.waitFor(START, 5000)).toBe(true);
    await eventually(() => runner.isReliable('notes', 'note-1'));
    expect(notesIn(runner, 'notes').map(({ text }) => text)).toEqual(texts);
    expect(Math.max(...reads)).toBeLessThanOrEqual(A_PAGE);
    expect(reads.reduce((sum, events) => sum + events, 0)).toBe(LONG);
  });

  it('goes on where it was when the store was away, or the node stopped, in between', async () => {
    await parkAll();
    let reads = 0;
    const away = (): void => {
      reads++;
      if (reads % 2 === 0) throw new EventStoreUnavailable('away');
    };
    const before = node.run([noteLog('notes')], { store: reading(away), backoffMs: [1, 1] });
    await eventually(() => notesIn(before, 'notes').length >= 16);
    await node.halt();
    const after = node.run([noteLog('notes')]);
    expect(await after.waitFor(START, 5000)).toBe(true);
    await eventually(() => after.isReliable('notes', 'note-1'));
    expect(notesIn(after, 'notes').map(({ text }) => text)).toEqual(texts);
    expect(after.parkedEvents('note-1')).toEqual([]);
  });
});

describe('an event that cannot be read', () => {
  it('is parked when its type is from a later build', async () => {
    const runner = node.run([noteLog('notes')]);
    await node.append('note-1', 0, 'note-folded', null);
    const last = await node.write('note-2', 0, 'next');
    expect(await runner.waitFor(last, 5000)).toBe(true);
    expect(runner.parkedEvents('note-1')[0]?.error).toContain('unknown event type note-folded');
    expect(notesIn(runner, 'notes')).toHaveLength(1);
  });

  it('is parked when its key is missing, and applied at a start with the key', async () => {
    await node.write('note-1', 0, 'one');
    let missing = true;
    const keys = {
      findAll: async (scopes: readonly string[]) => node.keys.findAll(missing ? [] : scopes),
    };
    const before = node.run([noteLog('notes')], { keys });
    const head = await node.store.head();
    expect(await before.waitFor(head, 5000)).toBe(true);
    expect(before.isReliable('notes', 'note-1')).toBe(false);
    await node.halt();
    missing = false;
    const after = node.run([noteLog('notes')], { keys });
    expect(await after.waitFor(head, 5000)).toBe(true);
    await eventually(() => after.isReliable('notes', 'note-1'));
    expect(notesIn(after, 'notes')).toHaveLength(1);
  });
});

describe('a fault of the database itself', () => {
  it('parks nothing', async () => {
    const notes = noteLog('notes');
    let full = true;
    const runner = node.run([
      {
        ...notes,
        apply(db, event) {
          notes.apply(db, event);
          // A real fault: the file may not grow any further.
          db.exec(`PRAGMA max_page_count = ${full ? '1' : '1000000'}`);
          db.prepare('INSERT INTO notes (text) SELECT hex(zeroblob(200000)) WHERE ?').run(
            full ? 1 : 0,
          );
        },
      },
    ]);
    const last = await node.write('note-1', 0, 'one');
    await eventually(async () => (await runner.health()).stalled?.includes('SQLITE_FULL') === true);
    expect(runner.parkedEvents('note-1')).toEqual([]);
    full = false;
    expect(await runner.waitFor(last, 5000)).toBe(true);
    expect(notesIn(runner, 'notes').filter(({ text }) => text !== '')).toHaveLength(1);
  });
});
