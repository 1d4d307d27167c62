import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AttemptFault, type FaultKind } from '../../../src/invocations/backends/attempt-fault.js';
import { Circuit } from '../../../src/invocations/backends/circuit.js';
import { err, ok } from '../../../src/kernel/result.js';

const REST_MS = 10_000;

let circuit: Circuit;

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2030-03-01T12:00:00Z') });
  circuit = new Circuit();
});

afterEach(() => {
  jest.useRealTimers();
});

/** What an attempt comes to that goes as told. */
async function attempt(how: FaultKind | 'well'): Promise<FaultKind | 'well'> {
  const tried = await circuit.through(async () =>
    Promise.resolve(how === 'well' ? ok(null) : err(new AttemptFault(how, 'as told'))),
  );
  return tried.ok ? 'well' : tried.error.kind;
}

async function attempts(count: number, how: FaultKind | 'well'): Promise<void> {
  for (let i = 0; i < count; i++) await attempt(how);
}

describe('the circuit of a backend', () => {
  it.each<FaultKind>(['unsent', 'lost', 'broken', 'timed-out'])(
    'opens when it is %s',
    async (how) => {
      await attempts(10, how);
      expect(await attempt('well')).toBe('not-tried');
    },
  );

  it.each<FaultKind>(['busy', 'canceled', 'unfinished', 'not-tried', 'answered'])(
    'is not opened by attempts that are %s',
    async (how) => {
      await attempts(40, how);
      expect(await attempt('well')).toBe('well');
    },
  );

  it('closes again when one attempt finds that all is well', async () => {
    await attempts(10, 'broken');
    jest.advanceTimersByTime(REST_MS);
    expect(await attempt('well')).toBe('well');
    expect(await attempt('well')).toBe('well');
  });

  it.each<FaultKind>(['broken', 'canceled', 'not-tried'])(
    'stays open when the attempt that was to find out is %s',
    async (how) => {
      await attempts(10, 'broken');
      jest.advanceTimersByTime(REST_MS);
      await attempt(how);
      expect(await attempt('well')).toBe('not-tried');
    },
  );

  it('keeps nobody waiting for the attempt that finds out', async () => {
    await attempts(10, 'broken');
    jest.advanceTimersByTime(REST_MS);
    let end: () => void = () => undefined;
    const finding = circuit.through(
      async () => new Promise((resolve) => (end = () => resolve(ok(null)))),
    );
    expect(await attempt('well')).toBe('not-tried');
    end();
    await finding;
    expect(await attempt('well')).toBe('well');
  });
});
