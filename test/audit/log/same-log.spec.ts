import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newestCheckpoint } from '../../../src/audit/log/checkpoint-rows.js';
import { LogContradicted } from '../../../src/audit/log/log-contradicted.js';
import { requireSameLog } from '../../../src/audit/log/same-log.js';
import type { TreeState } from '../../../src/audit/log/tables.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';
import { ReadDatabaseDamaged } from '../../../src/projections/read-database.js';
import { eventually } from '../../support/eventually.js';
import { append, LogNode, makeKey } from './support/log-node.js';

let folder: string;
let node: LogNode;
/** After the first checkpoint, and after the second. */
let earlier: TreeState;
let now: TreeState;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-same-log-'));
  node = await LogNode.open(folder, 'a', { key: makeKey('checkpoint-1') });
  node.signer.start();
  earlier = await signed(3);
  now = await signed(5);
});

afterEach(async () => {
  await node.close();
  await rm(folder, { recursive: true });
});

async function signed(size: number): Promise<TreeState> {
  await append(node.store, size - node.tree.size);
  await eventually(() => node.tree.isThere && newestCheckpoint(node.tree)?.size === size);
  return node.tree.state;
}

const judged = async (state: TreeState): Promise<unknown> =>
  requireSameLog(node.store, node.tree, state).then(
    () => 'the same',
    (error: unknown) => error,
  );

describe('a stored tree', () => {
  it('goes on with the log that it is of, wherever in it', async () => {
    expect(now).toMatchObject({ size: 5, logRevision: 1 });
    expect(await judged(now)).toBe('the same');
    const { position, logRevision, logRecordedAt } = earlier;
    expect(await judged({ ...now, position, logRevision, logRecordedAt })).toBe('the same');
  });

  it('is damaged when it is beyond what the stream `log` says, and has not taken it', async () => {
    const { logRevision, logRecordedAt } = earlier;
    for (const missed of [
      { logRevision, logRecordedAt },
      { logRevision: -1, logRecordedAt: null },
    ]) {
      expect(await judged({ ...now, ...missed })).toBeInstanceOf(ReadDatabaseDamaged);
    }
  });

  it('contradicts a log that says something else of it, or less', async () => {
    const logRecordedAt = '2020-01-01T00:00:00.000Z' as Timestamp;
    expect(await judged({ ...now, logRevision: 2 })).toBeInstanceOf(LogContradicted);
    expect(await judged({ ...now, logRecordedAt })).toBeInstanceOf(LogContradicted);
  });
});
