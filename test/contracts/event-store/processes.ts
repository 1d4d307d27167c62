import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { NewEnvelope } from '../../../src/kernel/envelope.js';
import {
  START,
  type EventStore,
  type Position,
  type RecordedEnvelope,
} from '../../../src/event-store/port.js';
import type { AppenderTask } from '../children/appender.js';
import { Child } from '../support/child.js';
import { effort, PROCESS_TEST_TIMEOUT } from '../support/effort.js';
import { envelope, envelopes, freshStream } from '../support/envelopes.js';
import { actualOf, idsOf, positionsOf, Reader, readEverything } from '../support/reading.js';
import type { LogFactory, TestLog } from './fixture.js';

export function describeProcesses(makeLog: LogFactory): void {
  let log: TestLog;
  let store: EventStore;

  beforeEach(async () => {
    log = await makeLog();
    store = await log.open();
  });

  afterEach(async () => {
    await Child.killAll();
    await log.dispose();
  });

  function startAppender(task: Omit<AppenderTask, 'log'>): Child {
    return new Child('appender.ts', { log: log.elsewhere, ...task } satisfies AppenderTask);
  }

  it(
    'keeps the expected revision exact between processes, and readers see no gap (case 23)',
    async () => {
      const contended = freshStream();
      const own = Array.from({ length: 4 }, () => freshStream());
      const batches = effort(40, 400);
      const children = [
        startAppender({ streams: [contended, own[0] ?? '', own[1] ?? ''], batches }),
        startAppender({ streams: [contended, own[2] ?? '', own[3] ?? ''], batches }),
      ];
      let writing = true;
      const polled: RecordedEnvelope[] = [];
      const poll = async (): Promise<void> => {
        const after = polled.at(-1)?.position ?? START;
        for await (const event of store.readAll(after)) polled.push(event);
      };
      const polling = (async () => {
        while (writing) {
          await poll();
          await delay(1);
        }
      })();
      const subscription = new Reader(store.subscribeAll(START));
      const total = children.length * 3 * countOfEvents(batches);
      const followed = subscription.events(total);
      const ours = await appendAlongside(store, contended, () => writing);
      await Promise.all(children.map((child) => child.finished()));
      writing = false;
      await Promise.all([polling, ours.done]);
      // Only now is everything written.
      await poll();

      const everything = await readEverything(store);
      expect(everything).toHaveLength(total + ours.ids.length);
      expect(positionsOf(polled)).toEqual(positionsOf(everything));
      expect(idsOf(await followed)).toEqual(idsOf(everything.slice(0, total)));
      await subscription.stop();
      expectWholeLog(everything);
      for (const child of children) expectAcknowledged(everything, child.lines);
      for (const id of ours.ids) expect(idsOf(everything)).toContain(id);
    },
    PROCESS_TEST_TIMEOUT,
  );

  it(
    'survives kill -9 at any moment: what was acknowledged is there whole, nothing by halves',
    async () => {
      const acknowledged: string[] = [];
      const streams = Array.from({ length: 12 }, () => freshStream());
      for (let kill = 0; kill < effort(5, 60); kill++) {
        const child = startAppender({ streams });
        await child.wrote(1);
        await delay(Math.random() * 60);
        await child.kill();
        acknowledged.push(...child.lines);

        const survivor = await log.open();
        const everything = await readEverything(survivor);
        expectWholeLog(everything);
        expectAcknowledged(everything, acknowledged);
        for (const stream of streams) {
          const batch = envelopes(2, { batch: `after kill ${String(kill)} ${stream}`, size: 2 });
          await appendAtHead(survivor, stream, batch);
        }
        await survivor.close();
      }
      expect(acknowledged.length).toBeGreaterThan(5);
    },
    PROCESS_TEST_TIMEOUT,
  );

  it(
    'goes on when another process is killed while it writes',
    async () => {
      const streams = Array.from({ length: 6 }, () => freshStream());
      const subscription = new Reader(store.subscribeAll(START));
      for (let kill = 0; kill < effort(2, 20); kill++) {
        const child = startAppender({ streams });
        await child.wrote(20);
        await child.kill();
        const mark = envelope();
        expect((await store.append(freshStream(), 'no-stream', [mark])).ok).toBe(true);
        const everything = await readEverything(store);
        expectWholeLog(everything);
        expectAcknowledged(everything, child.lines);
      }
      const everything = await readEverything(store);
      const followed = await subscription.events(everything.length);
      expect(positionsOf(followed)).toEqual(positionsOf(everything));
      await subscription.stop();
    },
    PROCESS_TEST_TIMEOUT,
  );
}

/** Of so many batches of 1, 2, 3, 1, 2, 3, … events. */
function countOfEvents(batches: number): number {
  let events = 0;
  for (let n = 0; n < batches; n++) events += 1 + (n % 3);
  return events;
}

/** Races for a stream that others write, for as long as they do. */
async function appendAlongside(
  store: EventStore,
  stream: string,
  going: () => boolean,
): Promise<{ ids: string[]; done: Promise<void> }> {
  const ids: string[] = [];
  let head = (await store.readStream(stream)).length - 1;
  const done = (async () => {
    while (going()) {
      const event = envelope();
      const outcome = await store.append(stream, head === -1 ? 'no-stream' : head, [event]);
      if (outcome.ok) {
        head = outcome.value.revision;
        ids.push(event.id);
        await delay(5);
      } else {
        head = actualOf(outcome.error);
      }
    }
  })();
  return { ids, done };
}

/** Positions increase, revisions have no gap, and no batch is there in part. */
function expectWholeLog(everything: readonly RecordedEnvelope[]): void {
  const next = new Map<string, number>();
  const batches = new Map<string, { stream: string; size: number; revisions: number[] }>();
  let last: Position = START;
  for (const { stream, revision, position, data } of everything) {
    expect(position > last).toBe(true);
    last = position;
    expect(revision).toBe(next.get(stream) ?? 0);
    next.set(stream, revision + 1);
    const { batch, size } = data;
    if (typeof batch !== 'string' || typeof size !== 'number') continue;
    const known = batches.get(batch);
    if (known === undefined) batches.set(batch, { stream, size, revisions: [revision] });
    else known.revisions.push(revision);
  }
  for (const { size, revisions } of batches.values()) {
    const first = revisions[0] ?? NaN;
    expect(revisions).toEqual(Array.from({ length: size }, (_, index) => first + index));
  }
}

/** Every batch that the appender said was acknowledged is where it said. */
function expectAcknowledged(
  everything: readonly RecordedEnvelope[],
  lines: readonly string[],
): void {
  const places = new Map(everything.map((event) => [event.id, event]));
  for (const line of lines) {
    const [stream, first, ids = ''] = line.split(' ');
    for (const [index, id] of ids.split(',').entries()) {
      const place = places.get(id);
      expect([place?.stream, place?.revision]).toEqual([stream, Number(first) + index]);
    }
  }
}

/** A server may still be carrying out what a killed client had sent. */
async function appendAtHead(
  store: EventStore,
  stream: string,
  events: readonly NewEnvelope[],
): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const head = (await store.readStream(stream)).length - 1;
    const appended = await store.append(stream, head === -1 ? 'no-stream' : head, events);
    if (appended.ok) return;
  }
  throw new Error(`${stream} moves on by itself`);
}
