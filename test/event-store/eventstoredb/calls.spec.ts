import { randomUUID } from 'node:crypto';
import {
  ANY,
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  STREAM_EXISTS,
  WrongExpectedVersionError,
  type AppendToStreamOptions,
} from '@eventstore/db-client';
import type { Metadata } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/eventstoredb-event-store.js';
import { START } from '../../../src/event-store/port.js';
import { envelopes, freshStream } from '../../contracts/support/envelopes.js';
import { collect, Reader, value } from '../../contracts/support/reading.js';
import { EventStoreDouble } from '../../support/eventstoredb/double.js';

let double: EventStoreDouble;
let calls: (readonly [method: string, metadata: Metadata])[];

beforeEach(async () => {
  calls = [];
  double = await EventStoreDouble.start();
  double.leader.moments.called = (...call) => calls.push(call);
});

afterEach(async () => {
  await double.stop();
});

const methods = (): readonly string[] => calls.map(([method]) => method);

describe.each(['', 'admin:changeit@'])('the calls of the EventStoreDB engine as "%s"', (user) => {
  it('ask for the leader, which alone answers for a majority, and append by themselves', async () => {
    const store = await openEventStoreDb(double.connectionString.replace('//', `//${user}`));
    const stream = freshStream();
    const appends = Array.from({ length: 8 }, () =>
      store.append(freshStream(), 'no-stream', envelopes(2)),
    );
    for (const append of [store.append(stream, 'no-stream', envelopes(1)), ...appends]) {
      value(await append);
    }
    value(await store.append(stream, 0, envelopes(1)));
    await store.readStream(stream);
    await collect(store.readAll(START));
    const reader = new Reader(store.subscribeAll(START));
    await reader.untilCaughtUp();
    await reader.stop();
    await store.close();
    expect(calls.filter(([, metadata]) => metadata.get('requires-leader')[0] !== 'true')).toEqual(
      [],
    );
    // Never over the stream that a client's appends share: one lost connection there ends the process.
    expect(new Set(methods())).toEqual(new Set(['append', 'read']));
    expect(methods().filter((method) => method === 'append')).toHaveLength(10);
  });
});

describe('the double, to a client without credentials', () => {
  const events = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      jsonEvent({ id: randomUUID(), type: 'thing-happened', data: { n } }),
    );

  it('takes appends over the stream that they share, by the same rules', async () => {
    const client = EventStoreDBClient.connectionString(double.connectionString);
    const [stream, other, first] = [randomUUID(), randomUUID(), events(2)];
    const append = (to: string, batch: ReturnType<typeof events>, expectedRevision: bigint) =>
      client.appendToStream(to, batch, { expectedRevision });
    const [created, elsewhere] = await Promise.all([
      client.appendToStream(stream, first, { expectedRevision: NO_STREAM }),
      client.appendToStream(other, events(3), { expectedRevision: NO_STREAM }),
    ]);
    expect([created.nextExpectedRevision, elsewhere.nextExpectedRevision]).toEqual([1n, 2n]);
    const again = await client.appendToStream(stream, first, { expectedRevision: NO_STREAM });
    expect(again.nextExpectedRevision).toBe(1n);
    await expect(append(stream, events(1), 0n)).rejects.toThrow(WrongExpectedVersionError);
    await expect(append(randomUUID(), events(1), 0n)).rejects.toThrow(WrongExpectedVersionError);
    const next = events(1);
    expect((await append(stream, next, 1n)).nextExpectedRevision).toBe(2n);
    const stored: (string | undefined)[] = [];
    for await (const { event } of client.readStream(stream)) stored.push(event?.id);
    expect(stored).toEqual([...first, ...next].map(({ id }) => id));
    await client.dispose();
    expect(new Set(methods())).toEqual(new Set(['batchAppend', 'read']));
  });

  it.each<readonly [mode: string, over: string, AppendToStreamOptions]>([
    ['any', 'the shared stream', { expectedRevision: ANY }],
    ['stream-exists', 'the shared stream', { expectedRevision: STREAM_EXISTS }],
    ['any', 'a call', { expectedRevision: ANY, credentials: { username: 'u', password: 'p' } }],
  ])('refuses what it has no rules for: %s, over %s', async (_mode, _over, options) => {
    const client = EventStoreDBClient.connectionString(double.connectionString);
    const appending = client.appendToStream(randomUUID(), events(1), options);
    await expect(appending).rejects.toThrow(/UNIMPLEMENTED: the double has no rules/);
    await client.dispose();
  });
});
