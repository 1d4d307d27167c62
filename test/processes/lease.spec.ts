import { mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventStore } from '../../src/event-store/port.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { LeaseAndCheckpoint } from '../../src/processes/lease-and-checkpoint.js';

const LEASE_MS = 30_000;
const DAY_MS = 86_400_000;

let folder: string;
let store: EventStore;
let now: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-lease-'));
  store = await openSqliteEventStore(join(folder, 'events.db'));
  now = Date.parse('2030-01-01T00:00:00.000Z');
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** @param aheadMs how far the node's clock is ahead, asked at each look at it */
function node(name: string, aheadMs: () => number = () => 0): LeaseAndCheckpoint {
  const clock = () => now + aheadMs();
  return new LeaseAndCheckpoint(
    { name: 'expiry', node: name, clock, random: randomBytes },
    LEASE_MS,
    store,
  );
}

describe('a lease that was written by a clock that was ahead', () => {
  it('keeps another node away for its length, not until real time has caught up', async () => {
    expect(await node('ahead', () => DAY_MS).ensureLease()).toBe(true);
    const other = node('other');
    expect(await other.ensureLease()).toBe(false);
    now += LEASE_MS - 1;
    expect(await other.ensureLease()).toBe(false);
    now += 1;
    expect(await other.ensureLease()).toBe(true);
  });

  it('is renewed by its node once the clock is right again', async () => {
    let ahead = DAY_MS;
    const wrong = node('wrong', () => ahead);
    await wrong.ensureLease();
    ahead = 0;
    expect(await wrong.ensureLease()).toBe(true);
    now += LEASE_MS / 2;
    expect(await wrong.ensureLease()).toBe(true);
    const { lease } = await wrong.refresh();
    expect(lease?.until).toBe('2030-01-01T00:00:45.000Z');
  });

  it('keeps no node away that saw it while its own clock was ahead, too', async () => {
    let ahead = DAY_MS;
    await node('ahead', () => DAY_MS).ensureLease();
    const other = node('other', () => ahead);
    expect(await other.ensureLease()).toBe(false);
    ahead = 0;
    expect(await other.ensureLease()).toBe(false);
    now += LEASE_MS;
    expect(await other.ensureLease()).toBe(true);
  });
});
