import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { LateCommit } from '../../src/projections/late-commit.js';

let flushes: number[];
let commit: LateCommit;
let began: number;

beforeEach(() => {
  jest.useFakeTimers();
  flushes = [];
  began = performance.now();
  const flush = (): unknown => flushes.push(performance.now() - began);
  commit = new LateCommit({ flush }, () => undefined);
});

afterEach(() => {
  commit.stop();
  jest.useRealTimers();
});

it('commits once for all that comes within its time', () => {
  for (let n = 0; n < 5; n++) {
    commit.soon(false);
    jest.advanceTimersByTime(100);
  }
  jest.advanceTimersByTime(10_000);
  expect(flushes).toEqual([1000]);
});

it('waits longer for a rebuild, unless something else waits with it', () => {
  commit.soon(true);
  jest.advanceTimersByTime(10_000);
  expect(flushes).toEqual([5000]);
  commit.soon(true);
  jest.advanceTimersByTime(500);
  commit.soon(false);
  jest.advanceTimersByTime(10_000);
  expect(flushes).toEqual([5000, 11_500]);
});

it('is not put off by a rebuild that comes later', () => {
  commit.soon(false);
  commit.soon(true);
  jest.advanceTimersByTime(10_000);
  expect(flushes).toEqual([1000]);
});
