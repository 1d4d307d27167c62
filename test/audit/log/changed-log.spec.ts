import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { append } from './support/log-node.js';
import { ThreadedLog } from './support/threaded-log.js';

const TIMEOUT_MS = 60_000;

let folder: string;
let log: ThreadedLog;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-changed-'));
  log = await ThreadedLog.open(folder);
});

afterEach(async () => {
  await log.close();
  await rm(folder, { recursive: true });
}, TIMEOUT_MS);

/** A node over a log of ten signed events, of which one is not what it was. */
async function reopenWith(sql: string): Promise<void> {
  await append(log.store, 10);
  await log.published(10);
  await log.close();
  const file = new Database(join(folder, 'events.db'));
  expect(file.prepare(sql).run(4).changes).toBe(1);
  file.close();
  log = await ThreadedLog.open(folder);
}

describe('a log with a signed event', () => {
  it.each([
    ['changed', "UPDATE events SET body = json_set(body, '$.data.text', 'x') WHERE position = ?"],
    ['deleted', 'DELETE FROM events WHERE position = ?'],
  ])(
    '%s is not served, and the place is named',
    async (_, sql) => {
      await reopenWith(sql);
      await log.says(/LogContradicted: the log holds event 0 of agent-[0-9a-f-]+ where another/);
      expect(await log.health()).toMatchObject({ healthy: false });
      await expect(log.log.checkpoint()).rejects.toThrow('log-inconsistent');
      expect(() => log.log.checkpoints(100, 1)).toThrow('log-inconsistent');
      await append(log.store, 1);
      await expect(log.log.checkpointOver(new Uint8Array(32), 200)).rejects.toThrow(
        'log-inconsistent',
      );
    },
    TIMEOUT_MS,
  );
});
