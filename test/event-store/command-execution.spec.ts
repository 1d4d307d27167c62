import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeEvent, keyOf, type EventTypes } from '../../src/event-store/codec.js';
import {
  CommandExecution,
  commandIdentity,
  type CommandEnvelope,
} from '../../src/event-store/command-execution.js';
import type { EventEnvelope } from '../../src/kernel/envelope.js';
import type { EventStore } from '../../src/event-store/port.js';
import {
  openSqliteEventStore,
  type SqliteEventStore,
} from '../../src/event-store/sqlite/sqlite-event-store.js';
import {
  openSqliteKeyStore,
  type SqliteKeyStore,
} from '../../src/event-store/sqlite/sqlite-key-store.js';
import type { Decider, DomainEvent, Erased } from '../../src/kernel/event.js';
import { hashJson } from '../../src/kernel/digest.js';
import { deriveUuid } from '../../src/kernel/ids.js';
import { err, ok } from '../../src/kernel/result.js';
import { storeWith } from '../support/store-with.js';

/** A notebook of at most 30 notes: the smallest stream with data and texts. */
type Noted = DomainEvent<'noted', { readonly by: string }, { readonly text: string }>;
type Notebook = readonly { readonly by: string; readonly text: string | Erased }[];
interface Note {
  readonly by: string;
  readonly text: string;
}

const notebook: Decider<Notebook, Note, Noted, object> = {
  initial: [],
  evolve: (state, { data, texts }) => [
    ...state,
    { by: data.by, text: texts === 'erased' ? texts : texts.text },
  ],
  decide: (state, { by, text }) =>
    state.length < 30
      ? ok([{ type: 'noted', data: { by }, texts: { text } }])
      : err({ code: 'too-many-revisions' }),
};
const TYPES: EventTypes<Noted> = { noted: { schemaVersion: 1 } };

let folder: string;
let store: SqliteEventStore;
let keys: SqliteKeyStore;
let now: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-execution-'));
  store = await openSqliteEventStore(join(folder, 'events.db'));
  keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
  now = Date.parse('2030-01-01T00:00:00.000Z');
});

afterEach(async () => {
  await store.close();
  await keys.close();
  await rm(folder, { recursive: true });
});

const executionOver = (through: EventStore): CommandExecution<Notebook, Note, Noted, object> =>
  new CommandExecution(through, keys, notebook, TYPES, () => now, randomBytes);

function request(by: string, text: string, idempotencyKey?: string): CommandEnvelope {
  const actor = { principal: by, agent: null, tenant: 'here' };
  return {
    ...commandIdentity({
      actor,
      idempotencyKey,
      content: { kind: 'note', target: 'stream', body: { text } },
      head: null,
    }),
    actor,
    correlationId: 'a-correlation',
    causationId: null,
    traceparent: null,
  };
}

const note = (
  execution: CommandExecution<Notebook, Note, Noted, object>,
  by: string,
  text: string,
  key?: string,
): ReturnType<typeof execution.execute> =>
  execution.execute('stream', { by, text }, request(by, text, key), async () => ({
    ok: true,
    value: { context: {}, basedOn: {} },
  }));

/** The real store, but somebody else is quicker the first `races` times. */
function beatenTo(races: number): EventStore {
  const rival = executionOver(store);
  let left = races;
  return storeWith(store, {
    append: async (stream, expected, events) => {
      if (left-- > 0) await note(rival, 'rival', `race ${String(left)}`);
      return store.append(stream, expected, events);
    },
  });
}

describe('the identity of a request', () => {
  const actor = { principal: 'ours', agent: null, tenant: 'here' };
  const content = { kind: 'note', target: 'stream', body: { text: 'one' } };
  const of = (head: string | null, idempotencyKey?: string, body: object = content.body) =>
    commandIdentity({ actor, idempotencyKey, content: { ...content, body }, head });

  it('follows from content and head, and is as it ever was: logs hold it', () => {
    expect(of('1.proposed')).toEqual({
      commandId: deriveUuid([
        ...['command', 'here', 'ours', null, 'derived'],
        hashJson(content),
        '1.proposed',
      ]),
      requestDigest: hashJson(content),
    });
    expect(of('2.proposed').commandId).not.toBe(of('1.proposed').commandId);
    expect(of('1.proposed', undefined, {}).commandId).not.toBe(of('1.proposed').commandId);
  });

  it('is that of its key where it has one; the digest is of the content', () => {
    expect(of('1.proposed', 'key')).toEqual({
      commandId: deriveUuid(['command', 'here', 'ours', null, 'key', 'key']),
      requestDigest: hashJson(content),
    });
    expect(of('1.proposed', 'key', {}).requestDigest).not.toBe(hashJson(content));
  });
});

describe('a command', () => {
  it('decides again after a lost race, on what is there now', async () => {
    const result = await note(executionOver(beatenTo(3)), 'ours', 'at last');
    expect(result).toMatchObject({ ok: true, value: { revision: 3, replayed: false } });
    expect(result.ok && result.value.state.map(({ by }) => by)).toEqual([
      'rival',
      'rival',
      'rival',
      'ours',
    ]);
  });

  it('gives up after 24 lost races with `contention`, and has recorded nothing', async () => {
    const result = await note(executionOver(beatenTo(25)), 'ours', 'never');
    expect(result).toEqual({ ok: false, error: { code: 'contention' } });
    const events = await store.readStream('stream');
    expect(events).toHaveLength(24);
    expect(events.filter(({ data }) => data['by'] === 'ours')).toEqual([]);
  });

  it('that is refused after a lost race is refused', async () => {
    for (let i = 0; i < 29; i++) await note(executionOver(store), 'filler', String(i));
    const result = await note(executionOver(beatenTo(1)), 'ours', 'too late');
    expect(result).toEqual({ ok: false, error: { code: 'too-many-revisions' } });
  });

  describe('that was surely written now', () => {
    let reads: number;
    const counted = (others: Partial<EventStore> = {}): EventStore =>
      storeWith(store, {
        readStream: (...asked) => {
          reads++;
          return store.readStream(...asked);
        },
        ...others,
      });
    /** An engine that does not know whether it had the events before. */
    const unsure: Partial<EventStore> = {
      append: async (...asked) => {
        const appended = await store.append(...asked);
        if (!appended.ok) return appended;
        const { revision, position } = appended.value;
        return ok({ revision, position });
      },
    };

    beforeEach(() => {
      reads = 0;
    });

    it('is answered as it is stored, and remembered, without being read back', async () => {
      const execution = executionOver(counted());
      for (const text of ['one', 'two', 'three']) await note(execution, 'ours', text);
      // One look before each decision, in which nothing new is found.
      expect(reads).toBe(3);
      const remembered = await execution.repository.load('stream');
      expect(remembered).toEqual(await executionOver(store).repository.load('stream'));
      const again = await note(execution, 'ours', 'two');
      expect(again).toMatchObject({ ok: true, value: { revision: 1, replayed: true } });
    });

    it('is answered as by an engine that is not sure of it, which is read', async () => {
      const sure = await note(executionOver(counted()), 'ours', 'one');
      expect(reads).toBe(1);
      const stream = 'another stream';
      const asked = { by: 'ours', text: 'one' };
      const other = await executionOver(counted(unsure)).execute(
        stream,
        asked,
        request('ours', 'one'),
        async () => ok({ context: {}, basedOn: {} }),
      );
      expect(reads).toBe(3);
      const position = (await store.readLast(stream))?.position;
      expect(other).toEqual({ ok: true, value: { ...(sure.ok && sure.value), position } });
    });

    it('is not remembered over what somebody has read on meanwhile', async () => {
      const execution = executionOver(
        counted({
          append: async (...asked) => {
            const appended = await store.append(...asked);
            await note(executionOver(store), 'others', 'later');
            await execution.repository.load('stream');
            return appended;
          },
        }),
      );
      const noted = await note(execution, 'ours', 'one');
      expect(noted).toMatchObject({ ok: true, value: { revision: 0, state: [{ by: 'ours' }] } });
      const { state } = await execution.repository.load('stream');
      expect(state.map(({ by }) => by)).toEqual(['ours', 'others']);
    });
  });

  describe('that is decided on what its caller takes a stream for', () => {
    /** A stream that holds nothing. */
    const begin = async (text: string, through: EventStore = store) => {
      const execution = executionOver(through);
      const { nothing } = execution.repository;
      const prepare = async () => ok({ context: {}, basedOn: {} });
      const envelope = request('ours', text);
      return execution.store('stream', { by: 'ours', text }, envelope, prepare, nothing);
    };

    it('is decided anew where it is none', async () => {
      await note(executionOver(store), 'others', 'one');
      expect(await begin('two')).toMatchObject({ ok: true, value: { revision: 1 } });
      expect(await begin('two')).toMatchObject({ ok: true, value: { replayed: true } });
    });

    it('is refused for what the log says, not for what was taken for it', async () => {
      await begin('one');
      await keys.destroy('stream');
      expect(await begin('one')).toMatchObject({ ok: true, value: { replayed: true } });
      expect(await begin('two')).toEqual({ ok: false, error: { code: 'interaction-erased' } });
    });

    it('makes no key for a stream whose own is missing', async () => {
      await begin('one');
      const lost = await openSqliteKeyStore(join(folder, 'lost.db'), { randomBytes });
      await keys.close();
      keys = lost;
      await expect(begin('two')).rejects.toThrow('the key of stream is missing');
      expect(await lost.find('stream')).toBeUndefined();
    });
  });

  it('leaves no more in memory than so many characters, however few the streams are', async () => {
    let read = 0;
    const execution = executionOver(
      storeWith(store, {
        readStream: async (...asked) => {
          const events = await store.readStream(...asked);
          read += events.length;
          return events;
        },
      }),
    );
    const text = 'x'.repeat(3_000_000);
    const streams = Array.from({ length: 12 }, (_, n) => `stream ${String(n)}`);
    for (const stream of streams) {
      const envelope = { ...request('ours', text), commandId: stream };
      const prepare = async () => ok({ context: {}, basedOn: {} });
      await execution.execute(stream, { by: 'ours', text }, envelope, prepare);
    }
    for (const [stream, events] of [
      ['stream 11', 0],
      ['stream 0', 1],
      ['stream 0', 1],
    ] as const) {
      await execution.repository.load(stream);
      expect([stream, read]).toEqual([stream, events]);
    }
  });

  it('sent again is answered from the log, as of its own last event', async () => {
    const execution = executionOver(store);
    const first = await note(execution, 'ours', 'one', 'key');
    await note(execution, 'others', 'two');
    const again = await note(executionOver(store), 'ours', 'one', 'key');
    expect(again).toEqual({ ok: true, value: { ...(first.ok && first.value), replayed: true } });
  });

  it('sent many times at once is recorded once, and said to be so to all but one', async () => {
    const execution = executionOver(store);
    const executed = await Promise.all(
      Array.from({ length: 20 }, () => note(execution, 'ours', 'one', 'key')),
    );
    const values = executed.flatMap((each) => (each.ok ? [each.value] : []));
    expect(values.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(values.filter(({ replayed }) => replayed)).toHaveLength(19);
    expect(await store.readStream('stream')).toHaveLength(1);
    expect(new Set(values.map(({ state }) => JSON.stringify(state))).size).toBe(1);
  });

  it('of which others come at once under the same key is recorded alone, and they are refused', async () => {
    const execution = executionOver(store);
    const executed = await Promise.all(
      ['one', 'two', 'three'].map((text) => note(execution, 'ours', text, 'key')),
    );
    const { state } = await execution.repository.load('stream');
    expect(state).toHaveLength(1);
    const codes = executed.map((each) => (each.ok ? each.value.state : each.error.code));
    expect(codes).toContainEqual(state);
    expect(codes.filter((code) => code === 'idempotency-key-reused')).toHaveLength(2);
  });

  it('of another content under the same key is refused', async () => {
    const execution = executionOver(store);
    await note(execution, 'ours', 'one', 'key');
    expect(await note(execution, 'ours', 'other', 'key')).toEqual({
      ok: false,
      error: { code: 'idempotency-key-reused' },
    });
  });

  it('that names another head under the same key is refused, and no head is recorded', async () => {
    const execution = new CommandExecution(store, keys, notebook, TYPES, () => now, randomBytes, {
      headOf: (state) => `after ${String(state.length)}`,
    });
    const envelope = request('ours', 'one', 'key');
    const send = (namedHead?: string): ReturnType<typeof execution.execute> =>
      execution.execute(
        'stream',
        { by: 'ours', text: 'one' },
        { ...envelope, ...(namedHead !== undefined && { namedHead }) },
        async () => ok({ context: {}, basedOn: {} }),
      );
    await note(execution, 'others', 'before');
    const first = await send('after 1');
    await note(execution, 'others', 'later');
    const again = { ok: true, value: { ...(first.ok && first.value), replayed: true } };
    const reused = { ok: false, error: { code: 'idempotency-key-reused' } };
    expect(await send('after 1')).toEqual(again);
    expect(await send('after 2')).toEqual(reused);
    expect(await send('after 3')).toEqual(reused);
    // Nothing of it is in the log: what was recorded before heads were compared is told apart alike.
    const events = await store.readStream('stream');
    expect(events.map(({ metadata }) => Object.keys(metadata).sort())).toEqual(
      Array.from({ length: 3 }, () => Object.keys({ ...envelope, basedOn: {} }).sort()),
    );
    expect(await send()).toEqual(again);
  });

  it('is recorded no earlier than the event before it, whatever the clock does', async () => {
    const execution = executionOver(store);
    await note(execution, 'ours', 'one');
    now -= 60_000;
    await note(execution, 'ours', 'two');
    const [first, second] = await store.readStream('stream');
    expect(second?.recordedAt).toBe(first?.recordedAt);
  });

  it('has nothing to say in a stream whose key was destroyed', async () => {
    await note(executionOver(store), 'ours', 'secret');
    await keys.destroy('stream');
    expect(await note(executionOver(store), 'ours', 'more')).toEqual({
      ok: false,
      error: { code: 'interaction-erased' },
    });
    const { state } = await executionOver(store).repository.load('stream');
    expect(state).toEqual([{ by: 'ours', text: 'erased' }]);
  });
});

describe('a stored event', () => {
  type Renamed = DomainEvent<'noted', { readonly author: string }, { readonly text: string }>;
  const LATER: EventTypes<Renamed> = {
    noted: {
      schemaVersion: 2,
      upcasters: [({ data, texts }) => ({ data: { author: data['by'] ?? null }, texts })],
    },
  };

  it('of an older form is read as today’s', async () => {
    await note(executionOver(store), 'ours', 'one');
    const [envelope] = await store.readStream('stream');
    if (envelope === undefined) throw new Error('nothing was stored');
    const key = await keyOf('stream', [envelope], keys);
    expect(decodeEvent(envelope, LATER, key)).toMatchObject({
      data: { author: 'ours' },
      texts: { text: 'one' },
    });
    expect(decodeEvent(envelope, LATER, 'erased')).toMatchObject({
      texts: 'erased',
    });
  });

  it('of a later build, or of a type that is not known, is not guessed at', async () => {
    await note(executionOver(store), 'ours', 'one');
    const [envelope] = await store.readStream('stream');
    if (envelope === undefined) throw new Error('nothing was stored');
    const decode = (altered: Partial<EventEnvelope>) => () =>
      decodeEvent({ ...envelope, ...altered }, TYPES, 'erased');
    expect(decode({ schemaVersion: 2 })).toThrow('later build');
    expect(decode({ type: 'toString' })).toThrow('unknown event type');
  });
});
