import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/eventstoredb-event-store.js';
import { START } from '../../../src/event-store/port.js';
import { effort, PROCESS_TEST_TIMEOUT } from '../../contracts/support/effort.js';
import { envelope, freshStream } from '../../contracts/support/envelopes.js';
import { idsOf, Reader, readEverything, value, within } from '../../contracts/support/reading.js';
import { startDoubleProcess } from '../../support/eventstoredb/start-process.js';

it(
  'a server killed again and again, with connections cut meanwhile, costs nothing that was acknowledged',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-double-'));
    const file = join(folder, 'log');
    let server = await startDoubleProcess({ file, cutMs: 200 });
    const port = Number(/:(\d+)\?/.exec(server.connectionString)?.[1]);
    const store = await openEventStoreDb(server.connectionString, { patienceMs: 20_000 });
    const reader = new Reader(store.subscribeAll(START));
    const sent: string[] = [];
    let isWriting = true;
    const writing = Promise.all(
      Array.from({ length: 4 }, async () => {
        const stream = freshStream();
        for (let n = 0; isWriting; n++) {
          const event = envelope();
          value(await store.append(stream, n === 0 ? 'no-stream' : n - 1, [event]));
          sent.push(event.id);
        }
      }),
    );
    for (let kill = 0; kill < effort(2, 20); kill++) {
      await delay(300 + Math.random() * 300);
      await server.kill();
      server = await startDoubleProcess({ file, port, cutMs: 200 });
    }
    await delay(300);
    isWriting = false;
    await writing;
    const everything = idsOf(await readEverything(store));
    expect([...everything].sort()).toEqual([...sent].sort());
    expect(idsOf(await within(20_000, reader.events(sent.length)))).toEqual(everything);
    await store.close();
    await server.kill();
    await rm(folder, { recursive: true });
  },
  PROCESS_TEST_TIMEOUT,
);
