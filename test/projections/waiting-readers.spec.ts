import { describe, expect, it } from '@jest/globals';
import { WaitingReaders } from '../../src/projections/waiting-readers.js';

const LONG_MS = 60_000;

describe('readers that wait', () => {
  it('go on as soon as their condition holds', async () => {
    const readers = new WaitingReaders();
    let isThere = false;
    const waiting = readers.until(() => isThere, LONG_MS);
    readers.notify();
    isThere = true;
    readers.notify();
    expect(await waiting).toBe(true);
  });

  it('give up after their time', async () => {
    expect(await new WaitingReaders().until(() => false, 10)).toBe(false);
  });

  it('do not wait for views that have stopped', async () => {
    const readers = new WaitingReaders();
    const waiting = readers.until(() => false, LONG_MS);
    readers.close();
    expect(await waiting).toBe(false);
    expect(await readers.until(() => false, LONG_MS)).toBe(false);
    expect(await readers.until(() => true, LONG_MS)).toBe(true);
  });
});
