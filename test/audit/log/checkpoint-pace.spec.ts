import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CheckpointPace } from '../../../src/audit/log/checkpoint-pace.js';
import { checkpointsBefore, newestCheckpoint } from '../../../src/audit/log/checkpoint-rows.js';
import type { EventStore, Position } from '../../../src/event-store/port.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import { eventually } from '../../support/eventually.js';
import { storeWith } from '../../support/store-with.js';
import { append, LogNode, makeKey, type LogNodeOptions } from './support/log-node.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
const NEVER_MS = 600_000;
const BEYOND = '99999999999999999999' as Position;
const key = makeKey('checkpoint-1');

describe('the pace of checkpoints', () => {
  const NOON = Date.parse('2030-01-01T12:00:00.000Z');
  let wall: number;
  let steady: number;
  let pace: CheckpointPace;

  beforeEach(() => {
    [wall, steady] = [NOON, 5_000];
    pace = new CheckpointPace({
      clock: () => wall,
      monotonic: () => steady,
      intervalMs: 60_000,
      leastIntervalMs: 1_000,
    });
  });

  function pass(milliseconds: number): void {
    wall += milliseconds;
    steady += milliseconds;
  }

  const published = (revision: number, at: number, size = 10) => ({
    revision,
    size,
    recordedAt: timestampOf(at),
  });

  it('lets the first one be signed at once', () => {
    pace.saw(undefined, 10);
    expect(pace.remaining(false)).toBeLessThanOrEqual(0);
  });

  it('counts from the moment of the newest, also of one that another node has made meanwhile', () => {
    pace.saw(published(3, NOON - 20_000), 11);
    expect(pace.remaining(false)).toBe(40_000);
    expect(pace.remaining(true)).toBe(-19_000);
    pass(40_000);
    pace.saw(published(4, wall - 10_000), 11);
    expect(pace.remaining(false)).toBe(50_000);
  });

  it.each([DAY_MS, 1, -DAY_MS])('waits one interval whatever the clock does: %i ms', (jump) => {
    const newest = published(3, NOON);
    pace.saw(newest, 11);
    wall += jump;
    pass(59_999);
    pace.saw(newest, 11);
    expect(pace.remaining(false)).toBe(1);
    pass(1);
    expect(pace.remaining(false)).toBe(0);
  });

  it('waits one interval after one that is recorded in the future, one second if asked', () => {
    const newest = published(3, NOON + DAY_MS);
    pace.saw(newest, 11);
    expect(pace.remaining(false)).toBe(60_000);
    expect(pace.remaining(true)).toBe(1_000);
    pass(60_000);
    pace.saw(newest, 11);
    expect(pace.remaining(false)).toBe(0);
  });

  it('takes none for older than its own last look: its moment may be another node’s', () => {
    pace.saw(published(3, NOON - DAY_MS), 10);
    pass(30_000);
    pace.saw(published(4, NOON - DAY_MS), 11);
    expect(pace.remaining(false)).toBe(30_000);
  });

  it('is overdue when nothing was signed for three intervals, whatever the clock says', () => {
    const newest = published(3, NOON + DAY_MS);
    pace.saw(newest, 10);
    pass(200_000);
    pace.saw(newest, 10);
    pass(180_000);
    pace.saw(newest, 11);
    expect(pace.overdueMs).toBeUndefined();
    pass(1);
    expect(pace.overdueMs).toBe(180_001);
    pace.saw(published(4, NOON + DAY_MS), 12);
    expect(pace.overdueMs).toBeUndefined();
  });
});

describe('the signer', () => {
  let folder: string;
  let nodes: LogNode[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-pace-'));
    nodes = [];
  });

  afterEach(async () => {
    for (const node of nodes) await node.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(name: string, options: LogNodeOptions): Promise<LogNode> {
    const node = await LogNode.open(folder, name, { key, ...options });
    nodes.push(node);
    node.signer.start();
    return node;
  }

  const isPublished = (node: LogNode, size: number) =>
    eventually(() => node.tree.isThere && newestCheckpoint(node.tree)?.size === size);

  it('goes on when its clock was ahead, also after a restart', async () => {
    let ahead = DAY_MS;
    const clock = () => Date.now() + ahead;
    const node = await open('a', { clock });
    await append(node.store, 1);
    await isPublished(node, 1);
    ahead = 0;
    for (const size of [2, 3]) {
      await append(node.store, 1);
      await isPublished(node, size);
    }
    nodes = [];
    await node.close();
    const again = await open('a', { clock });
    await append(again.store, 1);
    await isPublished(again, 4);
  });

  it('signs soon when asked, though the newest is recorded in the future', async () => {
    const fast = await open('fast', { clock: () => Date.now() + DAY_MS, intervalMs: NEVER_MS });
    await append(fast.store, 1);
    fast.signer.signSoon();
    await isPublished(fast, 1);
    const node = await open('right', { intervalMs: NEVER_MS });
    await node.signs();
    await append(node.store, 1);
    node.signer.signSoon();
    await isPublished(node, 2);
  });

  it('keeps to its interval over several nodes of which one is a day ahead', async () => {
    const intervalMs = 250;
    const clocks = [0, DAY_MS, -DAY_MS].map((ahead) => () => Date.now() + ahead);
    const several: LogNode[] = [];
    const begun = performance.now();
    for (const [index, clock] of clocks.entries()) {
      several.push(await open(`node-${String(index)}`, { clock, intervalMs }));
    }
    const [first, fast, slow] = several as [LogNode, LogNode, LogNode];
    while (performance.now() - begun < 8 * intervalMs) {
      await append(first.store, 1);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const elapsed = performance.now() - begun;
    await first.catchUp();
    const withFast = checkpointsBefore(first.tree, Number.MAX_SAFE_INTEGER, 1_000).length;
    expect(withFast).toBeGreaterThanOrEqual(3);
    expect(withFast).toBeLessThanOrEqual(elapsed / intervalMs + 2);
    // The others go on by themselves.
    nodes = [first, slow];
    await fast.close();
    await append(first.store, 1);
    await first.catchUp();
    await isPublished(first, first.tree.size);
  });

  it('tells that it is behind when a turn never ends', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let isHanging = false;
    let jump = 0;
    const node = await open('a', {
      monotonic: () => performance.now() + jump,
      through: (store) => held(store, async () => (isHanging ? released : undefined)),
    });
    await append(node.store, 1);
    await isPublished(node, 1);
    await node.signs();
    isHanging = true;
    await append(node.store, 2);
    await node.catchUp();
    expect(node.signer.healthOver(2)).toEqual({ state: 'signing', fault: null });
    jump = 20_000;
    await eventually(() => node.signer.healthOver(2).state === 'behind');
    expect(node.signer.healthOver(2).fault).toMatch(/nothing was signed for 2\d s: 2 leaves wait/);
    expect(node.signer.healthOver(0)).toEqual({ state: 'signing', fault: null });
    release();
    await isPublished(node, 3);
    await eventually(() => node.signer.healthOver(1).state === 'signing');
  });

  it('tells for how long it could not sign what it cannot see', async () => {
    let isAhead = false;
    let jump = 0;
    const node = await open('a', {
      monotonic: () => performance.now() + jump,
      through: (store) => ({
        ...held(store, () => Promise.resolve()),
        head: async () => (isAhead ? BEYOND : store.head()),
      }),
    });
    await append(node.store, 1);
    await isPublished(node, 1);
    isAhead = true;
    await node.signs('behind');
    const fault = 'the tree has not reached the head of the log';
    expect(node.signer.healthOver(0)).toEqual({ state: 'behind', fault });
    jump = 20_000;
    expect(node.signer.healthOver(0).fault).toMatch(
      /head of the log; nothing was signed for 2\d s/,
    );
    isAhead = false;
    await node.signs();
    expect(node.signer.healthOver(0)).toEqual({ state: 'signing', fault: null });
  });
});

/** A store whose stream `log` is appended to only after the gate. */
function held(store: EventStore, gate: () => Promise<void>): EventStore {
  return storeWith(store, {
    append: async (stream, expected, events) => {
      if (stream === 'log') await gate();
      return store.append(stream, expected, events);
    },
  });
}
