import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { START } from '../../src/event-store/port.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { ReadDatabaseDamaged } from '../../src/projections/read-database.js';
import { built } from '../support/built.js';
import { eventually } from '../support/eventually.js';
import { Node, noteLog, notesIn } from './support/notes.js';
import { withMember } from './support/with-member.js';

const CHILD = built(new URL('./support/projection-child.ts', import.meta.url));

let node: Node;

beforeEach(async () => {
  node = await Node.make();
});

afterEach(async () => {
  await node.close();
});

/** Everything into the file itself, then rubbish over all pages but the first. */
function ruin(readFile: string): void {
  const other = new Database(readFile);
  other.pragma('wal_checkpoint(TRUNCATE)');
  other.close();
  const size = statSync(readFile).size;
  const file = openSync(readFile, 'r+');
  writeSync(file, Buffer.alloc(size - 4096, 0xa5), 0, size - 4096, 4096);
  closeSync(file);
}

/** Something that happens when the test says so. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    opened,
    open: () => {
      open();
    },
  };
}

describe('a projection', () => {
  it('sees every event of its streams once and in log order, from before and after its start', async () => {
    await node.write('note-1', 0, 'one');
    await node.write('note-2', 0, 'two');
    const runner = node.run([noteLog('notes')]);
    expect(await runner.waitFor(START, 5000)).toBe(true);
    await node.strike('note-1', 1);
    const last = await node.write('note-2', 1, 'four');
    expect(await runner.waitFor(last, 5000)).toBe(true);
    expect(notesIn(runner, 'notes').map(({ text }) => text)).toEqual([
      'one',
      'two',
      '(struck)',
      'four',
    ]);
  });

  it('loses and repeats nothing across the seam while several writers append', async () => {
    const writers = 8;
    const each = 60;
    const writing = Array.from({ length: writers }, async (_, writer) => {
      for (let revision = 0; revision < each; revision++) {
        await node.write(
          `note-${String(writer)}`,
          revision,
          `${String(writer)}/${String(revision)}`,
        );
      }
    });
    await node.write('note-first', 0, 'first');
    const runner = node.run([noteLog('notes')], { batchSize: 7 });
    await Promise.all(writing);
    expect(await runner.waitFor(await node.store.head(), 5000)).toBe(true);
    const rows = notesIn(runner, 'notes');
    expect(rows).toHaveLength(writers * each + 1);
    const inLog = [];
    for await (const event of node.store.readAll(START)) {
      inLog.push(`${event.stream}@${String(event.revision)}`);
    }
    expect(rows.map((row) => `${row.stream}@${String(row.revision)}`)).toEqual(inLog);
  });

  it('shows all that a command has recorded, or nothing of it, while it catches up and follows', async () => {
    const commands = 40;
    const three = (command: number) => [0, 1, 2].map((n) => `${command}/${n}`);
    const write = (command: number) => node.writeTogether(`note-${command}`, 0, three(command));
    await node.run([noteLog('notes')]).waitFor(START, 5000);
    await node.halt();
    for (let command = 0; command < commands / 2; command++) await write(command);
    const runner = node.run([noteLog('notes')], { batchSize: 7 });
    const counts: number[] = [];
    const look = (): number => {
      counts.push(notesIn(runner, 'notes').length);
      return counts.at(-1) ?? 0;
    };
    const writing = (async () => {
      for (let command = commands / 2; command < commands; command++) await write(command);
    })();
    while (look() < 3 * commands) await new Promise((resolve) => setImmediate(resolve));
    await writing;
    expect(new Set(counts).size).toBeGreaterThan(2);
    expect(counts.filter((count) => count % 3 !== 0)).toEqual([]);
  });

  it('moves past events of other streams, so that a reader with any position is served', async () => {
    const runner = node.run([noteLog('notes')]);
    const elsewhere = await node.append('other-1', 0, 'whatever', null);
    expect(await runner.waitFor(elsewhere, 5000)).toBe(true);
    expect(notesIn(runner, 'notes')).toEqual([]);
  });

  it('knows the texts of a destroyed key as erased', async () => {
    await node.write('note-1', 0, 'secret');
    const last = await node.write('note-2', 0, 'public');
    await node.keys.destroy('note-1');
    const runner = node.run([noteLog('notes')]);
    expect(await runner.waitFor(last, 5000)).toBe(true);
    expect(notesIn(runner, 'notes').map(({ text }) => text)).toEqual(['(erased)', 'public']);
    expect(runner.isReliable('notes', 'note-1')).toBe(true);
  });

  it('gets no texts unsealed that no projection takes', async () => {
    const last = await node.write('note-1', 0, 'unread');
    let lookups = 0;
    const keys = {
      findAll: async (scopes: readonly string[]) => {
        lookups++;
        return node.keys.findAll(scopes);
      },
    };
    const ids = noteLog('ids');
    const runner = node.run(
      [{ ...ids, takes: { 'note-written': 'data', 'note-struck': 'ignored' } }],
      { keys },
    );
    await node.strike('note-1', 1);
    expect(await runner.waitFor(last, 5000)).toBe(true);
    expect(notesIn(runner, 'ids').map(({ text }) => text)).toEqual(['(erased)']);
    expect(lookups).toBe(0);
  });

  it('refuses work outside of its transaction', async () => {
    let kept: unknown;
    const notes = noteLog('notes');
    const runner = node.run([
      {
        ...notes,
        apply(db, event) {
          const statement = db.prepare('DELETE FROM notes');
          kept = () => {
            statement.run();
          };
          notes.apply(db, event);
        },
      },
    ]);
    const last = await node.write('note-1', 0, 'one');
    expect(await runner.waitFor(last, 5000)).toBe(true);
    expect(kept).toThrow('outside of a transaction');
    expect(notesIn(runner, 'notes')).toHaveLength(1);
  });
});

describe('a restart', () => {
  it('goes on after the checkpoint and applies nothing twice', async () => {
    await node.write('note-1', 0, 'one');
    const before = node.run([noteLog('notes')]);
    expect(await before.waitFor(START, 5000)).toBe(true);
    await node.halt();
    const last = await node.write('note-1', 1, 'two');
    const after = node.run([noteLog('notes')]);
    expect(await after.waitFor(last, 5000)).toBe(true);
    expect(notesIn(after, 'notes').map(({ text }) => text)).toEqual(['one', 'two']);
  });

  it('gives the same answers after the read database was deleted', async () => {
    await node.write('note-1', 0, 'one');
    const last = await node.strike('note-1', 1);
    const before = node.run([noteLog('notes')]);
    expect(await before.waitFor(last, 5000)).toBe(true);
    const answer = notesIn(before, 'notes');
    await node.halt();
    for (const suffix of ['', '-wal', '-shm']) rmSync(node.readFile + suffix, { force: true });
    const after = node.run([noteLog('notes')]);
    expect(await after.waitFor(last, 5000)).toBe(true);
    expect(notesIn(after, 'notes')).toEqual(answer);
  });

  it('moves a damaged read database aside and rebuilds it', async () => {
    const last = await node.write('note-1', 0, 'one');
    const before = node.run([noteLog('notes')]);
    expect(await before.waitFor(last, 5000)).toBe(true);
    await node.halt();
    rmSync(`${node.readFile}-wal`, { force: true });
    writeFileSync(node.readFile, Buffer.alloc(20_000, 'no database'));
    const after = node.run([noteLog('notes')]);
    expect(await after.waitFor(last, 5000)).toBe(true);
    expect(notesIn(after, 'notes').map(({ text }) => text)).toEqual(['one']);
    expect(existsSync(`${node.readFile}.damaged`)).toBe(true);
  });

  it('starts over when an older copy of the log was put back', async () => {
    await node.write('note-1', 0, 'one');
    const copy = `${node.folder}/older`;
    mkdirSync(copy);
    new Database(join(node.folder, 'events.db'), { readonly: true })
      .prepare('VACUUM INTO ?')
      .run(join(copy, 'events.db'));
    await node.write('note-1', 1, 'lost');
    const before = node.run([noteLog('notes')]);
    expect(await before.waitFor(await node.store.head(), 5000)).toBe(true);
    await node.halt();
    const older = await openSqliteEventStore(join(copy, 'events.db'));
    const after = node.run([noteLog('notes')], { store: older });
    expect(await after.waitFor(START, 5000)).toBe(true);
    expect(notesIn(after, 'notes').map(({ text }) => text)).toEqual(['one']);
    await node.halt();
    await older.close();
  });

  it('starts over when the read database belongs to another log', async () => {
    await node.write('note-1', 0, 'one');
    await node.write('note-1', 1, 'two');
    const before = node.run([noteLog('notes')]);
    expect(await before.waitFor(START, 5000)).toBe(true);
    await node.halt();
    const other = await Node.make();
    try {
      await other.write('note-9', 0, 'nine');
      const last = await other.write('note-9', 1, 'ten');
      const after = node.run([noteLog('notes')], { store: other.store, keys: other.keys });
      expect(await after.waitFor(last, 5000)).toBe(true);
      expect(notesIn(after, 'notes').map(({ text }) => text)).toEqual(['nine', 'ten']);
      await node.halt();
    } finally {
      await other.close();
    }
  });

  it('starts over when the log has moved to another engine, where positions are others', async () => {
    const last = await node.write('note-1', 0, 'one');
    const textsBy = async (engine: string) => {
      const runner = node.run([noteLog('notes')], { engine });
      expect(await runner.waitFor(last, 5000)).toBe(true);
      const texts = notesIn(runner, 'notes').map(({ text }) => text);
      await node.halt();
      return texts;
    };
    expect(await textsBy('sqlite')).toEqual(['one']);
    const other = new Database(node.readFile);
    other.exec('DELETE FROM notes');
    other.close();
    expect(await textsBy('sqlite')).toEqual([]);
    expect(await textsBy('postgres')).toEqual(['one']);
  });
});

describe('a read database', () => {
  it('that is damaged under a running node is noticed by a reader and rebuilt', async () => {
    for (let i = 0; i < 200; i++) await node.write(`note-${String(i)}`, 0, 'x'.repeat(200));
    const runner = node.run([noteLog('notes')]);
    expect(await runner.waitFor(await node.store.head(), 5000)).toBe(true);
    ruin(node.readFile);
    expect(() => notesIn(runner, 'notes')).toThrow(ReadDatabaseDamaged);
    expect(await runner.waitFor(START, 0)).toBe(false);
    expect((await runner.health()).projections[0]?.state).toBe('rebuilding');
    expect(await runner.waitFor(await node.store.head(), 5000)).toBe(true);
    expect(notesIn(runner, 'notes')).toHaveLength(200);
    expect(node.reports).toContain('the read database is damaged; it is moved aside and rebuilt');
  });

  it('that cannot be replaced is replaced once it can', async () => {
    const last = await node.write('note-1', 0, 'one');
    const runner = node.run([noteLog('notes')]);
    expect(await runner.waitFor(last, 5000)).toBe(true);
    const inTheWay = `${node.readFile}.damaged`;
    mkdirSync(inTheWay);
    ruin(node.readFile);
    expect(() => notesIn(runner, 'notes')).toThrow(ReadDatabaseDamaged);
    const failed = 'the read database could not be replaced';
    await eventually(() => node.reports.filter((line) => line === failed).length > 1);
    rmdirSync(inTheWay);
    expect(await runner.waitFor(last, 5000)).toBe(true);
    expect(notesIn(runner, 'notes').map(({ text }) => text)).toEqual(['one']);
  });

  it('that runs full loses nothing that was applied before and not committed yet', async () => {
    let isFull = false;
    const log = noteLog('notes', {
      before: () => {
        if (!isFull) return;
        isFull = false;
        throw Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' });
      },
    });
    const runner = node.run([log]);
    expect(await runner.waitFor(START, 5000)).toBe(true);
    expect(await runner.waitFor(await node.write('note-1', 0, 'one'), 5000)).toBe(true);
    isFull = true;
    expect(await runner.waitFor(await node.write('note-1', 1, 'two'), 5000)).toBe(true);
    expect(notesIn(runner, 'notes').map(({ text }) => text)).toEqual(['one', 'two']);
    expect(node.reports).toContain('projections stand still');
  });

  it('commits by itself what was applied', async () => {
    const runner = node.run([noteLog('notes')]);
    expect(await runner.waitFor(START, 5000)).toBe(true);
    expect(await runner.waitFor(await node.write('note-1', 0, 'one'), 5000)).toBe(true);
    const other = new Database(node.readFile, { readonly: true });
    const count = other.prepare('SELECT count(*) FROM notes').pluck();
    for (let tries = 0; tries < 100 && count.get() === 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(count.get()).toBe(1);
    other.close();
  });

  it('holds whole batches after kill -9', async () => {
    const total = 300;
    for (let i = 0; i < total; i++)
      await node.write(`note-${String(i % 7)}`, Math.floor(i / 7), 'x');
    for (const rows of [20, 150]) {
      const child = spawn(process.execPath, [CHILD, node.folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exit = once(child, 'exit');
      for await (const line of createInterface(child.stdout)) {
        if (Number(line) >= rows) child.kill('SIGKILL');
      }
      await exit;
      expect(child.signalCode).toBe('SIGKILL');
    }
    const runner = node.run([noteLog('notes')]);
    expect(await runner.waitFor(await node.store.head(), 5000)).toBe(true);
    const rows = notesIn(runner, 'notes').map((row) => `${row.stream}@${String(row.revision)}`);
    const inLog = [];
    for await (const event of node.store.readAll(START)) {
      inLog.push(`${event.stream}@${String(event.revision)}`);
    }
    expect(rows).toEqual(inLog);
  });
});

describe('a new version', () => {
  it('rebuilds that projection alone while the others stay current, and joins them', async () => {
    for (let i = 0; i < 40; i++) await node.write(`note-${String(i)}`, 0, String(i));
    const before = node.run([noteLog('old'), noteLog('new')]);
    expect(await before.waitFor(START, 5000)).toBe(true);
    await node.halt();

    let seenByOld = 0;
    const rebuild = gate();
    const old = noteLog('old', { before: () => void seenByOld++ });
    let held = false;
    const store = withMember(node.store, 'readAll', (after, filter) => {
      if (held || filter === undefined) return node.store.readAll(after, filter);
      held = true;
      return (async function* () {
        await rebuild.opened;
        yield* node.store.readAll(after, filter);
      })();
    });
    const after = node.run([old, noteLog('new', { version: 2 })], { store });
    const live = await node.write('note-live', 0, 'live');
    expect(await after.waitFor(live, 5000, ['old'])).toBe(true);
    expect(await after.waitFor(START, 50, ['new'])).toBe(false);
    const [, rebuilding] = (await after.health()).projections;
    expect(rebuilding).toMatchObject({ name: 'new', version: 2, state: 'rebuilding' });
    rebuild.open();
    expect(await after.waitFor(live, 5000)).toBe(true);
    const last = await node.write('note-live', 1, 'both');
    expect(await after.waitFor(last, 5000)).toBe(true);
    expect(seenByOld).toBe(2);
    expect(notesIn(after, 'new')).toEqual(notesIn(after, 'old'));
    expect(notesIn(after, 'new')).toHaveLength(42);
  });

  it('loses and repeats nothing at the seam when the log grows during the rebuild', async () => {
    for (let i = 0; i < 100; i++) await node.write('note-a', i, String(i));
    const before = node.run([noteLog('old'), noteLog('new')]);
    expect(await before.waitFor(START, 5000)).toBe(true);
    await node.halt();
    const after = node.run([noteLog('old'), noteLog('new', { version: 2 })], { batchSize: 7 });
    await Promise.all(
      ['note-b', 'note-c', 'note-d'].map(async (stream) => {
        for (let i = 0; i < 50; i++) await node.write(stream, i, String(i));
      }),
    );
    expect(await after.waitFor(await node.store.head(), 5000)).toBe(true);
    expect(notesIn(after, 'old')).toHaveLength(250);
    expect(notesIn(after, 'new')).toEqual(notesIn(after, 'old'));
  });

  it('may get ahead of the others before it joins them', async () => {
    await node.write('note-1', 0, 'one');
    const before = node.run([noteLog('old'), noteLog('new')]);
    expect(await before.waitFor(START, 5000)).toBe(true);
    await node.halt();
    const last = await node.write('note-1', 1, 'two');
    const subscription = gate();
    const store = withMember(node.store, 'subscribeAll', async function* (...args) {
      await subscription.opened;
      yield* node.store.subscribeAll(...args);
    });
    const after = node.run([noteLog('old'), noteLog('new', { version: 2 })], { store });
    expect(await after.waitFor(last, 5000, ['new'])).toBe(true);
    expect(await after.waitFor(last, 0, ['old'])).toBe(false);
    // One batch for both: for one of them its first event is old.
    const both = await node.write('note-1', 2, 'three');
    subscription.open();
    expect(await after.waitFor(both, 5000)).toBe(true);
    expect(notesIn(after, 'new').map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(notesIn(after, 'new')).toEqual(notesIn(after, 'old'));
  });

  it('that falls behind again before it joins reads on', async () => {
    for (let i = 0; i < 20; i++) await node.write('note-1', i, String(i));
    const before = node.run([noteLog('old'), noteLog('new')]);
    expect(await before.waitFor(START, 5000)).toBe(true);
    await node.halt();
    const rebuild = gate();
    let reads = 0;
    const store = withMember(node.store, 'readAll', (after, filter) => {
      if (filter === undefined || ++reads > 1) return node.store.readAll(after, filter);
      return (async function* () {
        // Its own idea of the head is fixed before the others get further.
        const events = [];
        for await (const event of node.store.readAll(after, filter)) events.push(event);
        await rebuild.opened;
        yield* events;
      })();
    });
    const after = node.run([noteLog('old'), noteLog('new', { version: 2 })], { store });
    await eventually(() => reads === 1);
    const live = await node.write('note-1', 20, 'live');
    expect(await after.waitFor(live, 5000, ['old'])).toBe(true);
    rebuild.open();
    expect(await after.waitFor(live, 5000)).toBe(true);
    expect(notesIn(after, 'new')).toEqual(notesIn(after, 'old'));
    expect(notesIn(after, 'new')).toHaveLength(21);
  });
});

describe('a reader', () => {
  it('waits for a slow projector, or is told in time that the view is behind', async () => {
    const keys = {
      findAll: async (scopes: readonly string[]) => {
        await new Promise((resolve) => setTimeout(resolve, 40));
        return node.keys.findAll(scopes);
      },
    };
    const runner = node.run([noteLog('slow')], { keys });
    expect(await runner.waitFor(START, 5000)).toBe(true);
    const position = await node.write('note-1', 0, 'x');
    expect(await runner.waitFor(position, 1)).toBe(false);
    expect(await runner.waitFor(position, 5000)).toBe(true);
    expect(notesIn(runner, 'slow')).toHaveLength(1);
  });

  it('is not served before the view has reached the head once', async () => {
    await node.write('note-1', 0, 'one');
    const runner = node.run([noteLog('notes')]);
    expect(await runner.waitFor(START, 0)).toBe(false);
    expect(await runner.waitFor(START, 5000)).toBe(true);
    expect(notesIn(runner, 'notes')).toHaveLength(1);
  });

  it('asks about known projections only', async () => {
    const runner = node.run([noteLog('notes')]);
    await expect(runner.waitFor(START, 10, ['nots'])).rejects.toThrow('no such projection');
    expect(() => runner.isReliable('nots', 'note-1')).toThrow('no such projection');
  });
});

describe('health', () => {
  it('shows head, checkpoint and lag', async () => {
    const runner = node.run([noteLog('notes')]);
    const last = await node.write('note-1', 0, 'one');
    expect(await runner.waitFor(last, 5000)).toBe(true);
    expect(await runner.health()).toEqual({
      head: last,
      projections: [
        {
          name: 'notes',
          version: 1,
          state: 'following',
          checkpoint: last,
          lagMs: 0,
          parkedEvents: 0,
          unreliableStreams: 0,
        },
      ],
      stalled: null,
    });
  });

  it('shows why nothing moves, and the runner goes on once the cause is gone', async () => {
    let broken = true;
    const keys = {
      findAll: async (scopes: readonly string[]) => {
        if (broken) throw new Error('the key store is away');
        return node.keys.findAll(scopes);
      },
    };
    const runner = node.run([noteLog('notes')], { keys });
    const last = await node.write('note-1', 0, 'one');
    await eventually(async () => (await runner.health()).stalled !== null);
    expect((await runner.health()).stalled).toContain('the key store cannot be read');
    broken = false;
    expect(await runner.waitFor(last, 5000)).toBe(true);
    expect((await runner.health()).projections[0]?.parkedEvents).toBe(0);
    expect((await runner.health()).stalled).toBeNull();
  });
});
