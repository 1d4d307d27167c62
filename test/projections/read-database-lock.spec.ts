import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lockReadDatabase } from '../../src/projections/sqlite/read-database-lock.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-lock-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('the lock of a read database', () => {
  it('is had once, and again after it was given back', async () => {
    const file = join(folder, 'deep', 'read.db');
    const unlock = await lockReadDatabase(file, 0);
    expect(unlock).toBeDefined();
    expect(await lockReadDatabase(file, 50)).toBeUndefined();
    unlock?.();
    const again = await lockReadDatabase(file, 0);
    expect(again).toBeDefined();
    again?.();
  });

  it('is waited for', async () => {
    const file = join(folder, 'read.db');
    const unlock = await lockReadDatabase(file, 0);
    setTimeout(() => unlock?.(), 150);
    const next = await lockReadDatabase(file, 5000);
    expect(next).toBeDefined();
    next?.();
  });

  it('is no matter between two databases', async () => {
    const locks = [
      await lockReadDatabase(join(folder, 'a.db'), 0),
      await lockReadDatabase(join(folder, 'b.db'), 0),
    ];
    expect(locks.every((unlock) => unlock !== undefined)).toBe(true);
    for (const unlock of locks) unlock?.();
  });
});
