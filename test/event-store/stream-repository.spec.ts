import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventTypes } from '../../src/event-store/codec.js';
import type { EventStore } from '../../src/event-store/port.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import {
  openSqliteKeyStore,
  type SqliteKeyStore,
} from '../../src/event-store/sqlite/sqlite-key-store.js';
import { StreamRepository } from '../../src/event-store/stream-repository.js';
import type { DomainEvent } from '../../src/kernel/event.js';
import { envelopes, freshStream } from '../contracts/support/envelopes.js';
import { value } from '../contracts/support/reading.js';

/** As the contract suites' events are: each says which it is. */
type Happened = DomainEvent<'thing-happened', { readonly index: number }, null>;
const TYPES: EventTypes<Happened> = { 'thing-happened': { schemaVersion: 1 } };
const KIND = {
  types: TYPES,
  initial: [] as readonly number[],
  evolve: (state: readonly number[], { data }: Happened) => [...state, data.index],
};

const LENGTH = 300;
const sent = envelopes(LENGTH);
const stream = freshStream();
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

let folder: string;
let store: EventStore;
let keys: SqliteKeyStore;
/** Events that each read of the engine has given. */
let reads: number[];
let repository: StreamRepository<readonly number[], Happened>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-repository-'));
  store = await openSqliteEventStore(join(folder, 'events.db'));
  keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
  value(await store.append(stream, 'no-stream', sent));
});

afterAll(async () => {
  await store.close();
  await keys.close();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  reads = [];
  const counted = new Proxy(store, {
    get: (target, member) => {
      if (member !== 'readStream') {
        return (target[member as keyof EventStore] as () => unknown).bind(target);
      }
      return async (...asked: Parameters<EventStore['readStream']>) => {
        const events = await target.readStream(...asked);
        reads.push(events.length);
        return events;
      };
    },
  });
  repository = new StreamRepository(counted, keys, KIND);
});

describe('a long stream', () => {
  it('is folded whole, and never held whole', async () => {
    const { state, revision } = await repository.load(stream);
    expect([state, revision]).toEqual([upTo(LENGTH), LENGTH - 1]);
    expect(Math.max(...reads)).toBeLessThanOrEqual(32);
  });

  it('is looked at once when nothing has come since', async () => {
    await repository.load(stream);
    reads = [];
    expect((await repository.load(stream)).revision).toBe(LENGTH - 1);
    expect(reads).toEqual([0]);
  });

  it('is read as far as it is asked about', async () => {
    for (const revision of [0, 7, 8, 20, LENGTH - 1]) {
      reads = [];
      const loaded = await repository.loadAtRevision(stream, revision);
      expect([loaded.state, loaded.revision]).toEqual([upTo(revision + 1), revision]);
      expect(reads.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(2 * revision + 64);
    }
    expect((await repository.loadWhile(stream, () => false)).revision).toBe(-1);
  });

  it('is never cut within a command, wherever a page ends', async () => {
    const ofThree = freshStream();
    const events = envelopes(60).map((each, index, all) => ({
      ...each,
      metadata: { ...each.metadata, commandId: all[index - (index % 3)]!.metadata.commandId },
    }));
    value(await store.append(ofThree, 'no-stream', events));
    for (let revision = 0; revision < 60; revision++) {
      const { state } = await repository.loadAtRevision(ofThree, revision);
      expect(state).toEqual(upTo(revision - (revision % 3) + 3));
    }
  });

  it('knows the commands of all of its pages, and passes each of its revisions', async () => {
    for (const index of [0, 9, 100, LENGTH - 1]) {
      const commandId = sent[index]!.metadata.commandId;
      const { known } = await repository.loadWithCommand(stream, commandId);
      expect(known?.lastRevision).toBe(index);
    }
    const passed = new StreamRepository<readonly number[], Happened>(store, keys, KIND);
    expect((await passed.advanceTo(stream, 100)).state).toEqual(upTo(101));
  });

  it('is the same for all who load it at once', async () => {
    const loaded = await Promise.all(upTo(8).map(async () => repository.load(stream)));
    for (const { state } of loaded) expect(state).toEqual(upTo(LENGTH));
  });
});

describe('what an earlier state may still show', () => {
  const hiding = (): StreamRepository<readonly number[], Happened> =>
    new StreamRepository(store, keys, {
      ...KIND,
      seenFrom: (head, earlier) => (head.length === LENGTH ? earlier.map(() => -1) : earlier),
    });

  it('is asked of the head, whichever way leads to it', async () => {
    const hidden = Array.from({ length: 8 }, () => -1);
    for (const warm of [false, true]) {
      const ways: readonly ((
        of: StreamRepository<readonly number[], Happened>,
      ) => Promise<unknown>)[] = [
        async (of) => (await of.loadAtRevision(stream, 7)).state,
        async (of) => (await of.loadWhile(stream, ({ revision }) => revision < 8)).state,
        async (of) => (await of.advanceTo(stream, 7)).state,
      ];
      for (const way of ways) {
        const of = hiding();
        if (warm) await of.load(stream);
        expect(await way(of)).toEqual(hidden);
      }
    }
  });
});
