import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AttemptFault, type FaultKind } from '../../../src/invocations/backends/attempt-fault.js';
import { BackendCircuits } from '../../../src/invocations/backends/backend-circuits.js';
import type { Caller } from '../../../src/kernel/caller.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import { err, ok } from '../../../src/kernel/result.js';
import { caller } from './support/calls.js';

const REST_MS = 10_000;

type Outcome = FaultKind | 'well';

const mallory: Caller = { ...caller('mallory'), agent: null };
const victim: Caller = { ...caller('victim'), agent: null };

let circuits: BackendCircuits;

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2030-03-01T12:00:00Z') });
  circuits = new BackendCircuits(() => Date.now());
});

afterEach(() => {
  jest.useRealTimers();
});

/** What an attempt comes to that goes as told. */
async function attempt(how: Outcome, as: Caller | null = mallory): Promise<Outcome> {
  const tried = await circuits.through(as, async () =>
    Promise.resolve(how === 'well' ? ok(null) : err(new AttemptFault(how, 'as told'))),
  );
  return tried.ok ? 'well' : tried.error.kind;
}

async function attempts(count: number, how: Outcome, as: Caller | null = mallory): Promise<void> {
  for (let i = 0; i < count; i++) await attempt(how, as);
}

/** Begins an attempt that goes well once it is told to end. */
function lastingAttempt(as: Caller): { readonly end: () => Promise<unknown> } {
  let finish: () => void = () => undefined;
  const made = circuits.through(
    as,
    async () => new Promise((resolve) => (finish = () => resolve(ok(null)))),
  );
  const end = async (): Promise<unknown> => {
    finish();
    return made;
  };
  return { end };
}

describe.each<FaultKind>(['lost', 'broken', 'timed-out'])('attempts that are %s', (how) => {
  it('close a backend to their caller and to nobody else', async () => {
    await attempts(20, how);
    expect(await attempt('well')).toBe('not-tried');
    const otherTenant = { ...mallory, tenant: 'others' };
    for (const other of [victim, otherTenant, null]) {
      expect(await attempt('well', other)).toBe('well');
    }
  });

  it('close it to nobody else however long they go on', async () => {
    for (let seconds = 0; seconds < 60; seconds++) {
      await attempts(18, how);
      expect(await attempt('well', victim)).toBe('well');
      jest.advanceTimersByTime(1000);
    }
  });

  it('are those of an agent, whoever speaks for it, and of all without a token', async () => {
    const agent = 'agent' as AgentId;
    await attempts(10, how, { ...mallory, agent });
    expect(await attempt('well', { ...mallory, principal: 'another', agent })).toBe('not-tried');
    expect(await attempt('well', mallory)).toBe('well');
    await attempts(10, how, null);
    expect(await attempt('well', null)).toBe('not-tried');
  });

  it('are followed by one that finds out how things are', async () => {
    await attempts(10, how);
    jest.advanceTimersByTime(REST_MS);
    expect(await attempt(how)).toBe(how);
    expect(await attempt('well')).toBe('not-tried');
    jest.advanceTimersByTime(REST_MS);
    expect(await attempt('well')).toBe('well');
    expect(await attempt('well')).toBe('well');
  });
});

describe('the circuit of one caller', () => {
  it.each<FaultKind>(['busy', 'canceled', 'unfinished', 'not-tried', 'answered'])(
    'is not opened by attempts that are %s',
    async (how) => {
      await attempts(40, how);
      expect(await attempt('well')).toBe('well');
    },
  );

  it.each<FaultKind>(['unsent', 'canceled', 'not-tried'])(
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
    const finding = lastingAttempt(mallory);
    jest.advanceTimersByTime(REST_MS);
    expect(await attempt('well')).toBe('not-tried');
    await finding.end();
    expect(await attempt('well')).toBe('well');
  });
});

describe('the circuit of all', () => {
  beforeEach(async () => {
    for (let i = 0; i < 10; i++) await attempt('unsent', caller(`caller-${i}`));
    await attempts(10, 'unsent');
  });

  it('opens when no connection comes about, whoever asks', async () => {
    expect(await attempt('well', victim)).toBe('not-tried');
    expect(await attempt('well', null)).toBe('not-tried');
  });

  it('stays open while none comes about, and closes for all when one does', async () => {
    jest.advanceTimersByTime(REST_MS);
    expect(await attempt('unsent')).toBe('unsent');
    expect(await attempt('well', victim)).toBe('not-tried');
    jest.advanceTimersByTime(REST_MS);
    expect(await attempt('well', victim)).toBe('well');
    expect(await attempt('well')).toBe('well');
  });

  it.each<FaultKind>(['lost', 'broken', 'timed-out', 'canceled', 'not-tried', 'answered'])(
    'is not kept open by a caller whose attempts are %s',
    async (how) => {
      jest.advanceTimersByTime(REST_MS);
      await attempt(how);
      expect(await attempt('well', victim)).toBe('well');
    },
  );

  it('refuses others no longer than a connection takes, while one finds out', async () => {
    jest.advanceTimersByTime(REST_MS);
    const finding = lastingAttempt(mallory);
    expect(await attempt('well', victim)).toBe('not-tried');
    jest.advanceTimersByTime(10_000);
    expect(await attempt('well', victim)).toBe('well');
    await finding.end();
    expect(await attempt('well', victim)).toBe('well');
  });
});

it('finds nothing out for all by a call that the circuit of its caller refuses', async () => {
  await attempts(10, 'broken');
  jest.advanceTimersByTime(1000);
  for (let i = 0; i < 20; i++) await attempt('unsent', victim);
  jest.advanceTimersByTime(REST_MS - 1000);
  // Its caller's circuit rests again, now longer than that of all.
  expect(await attempt('well')).toBe('not-tried');
  jest.advanceTimersByTime(1000);
  expect(await attempt('well')).toBe('not-tried');
  expect(await attempt('unsent', victim)).toBe('unsent');
  expect(await attempt('well', victim)).toBe('not-tried');
});
