import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventStore } from '../../src/event-store/port.js';
import { calendarStream } from '../../src/processes/calendar-events.js';
import { processStream } from '../../src/processes/events.js';
import type { Processes } from '../../src/processes/processes.js';
import { eventually } from '../support/eventually.js';
import { ALPHA, BETA, Deployment, healthOf } from './support/deployment.js';
import { failingStore } from './support/failing-store.js';

/**
 * So many failures, of which each is over before the next, are waited for within a second. If the
 * pauses grew from each to the next, it would take five minutes.
 */
const FAILURES = 16;
const GROWING = { firstRetryMs: 5, longestRetryMs: 600_000 };

let now: number;
let deployment: Deployment;

beforeEach(async () => {
  now = Date.parse('2030-01-01T00:00:00.000Z');
  deployment = await Deployment.open(() => now);
  await deployment.register(ALPHA);
  await deployment.register(BETA);
});

afterEach(async () => {
  await deployment.dispose();
});

async function untilHealth(
  processes: Processes,
  name: string,
  lastError: (text: string | null) => boolean,
): Promise<void> {
  await eventually(async () => {
    const health = await healthOf(processes, name);
    return health.state === 'following' && lastError(health.lastError);
  });
}

const isNull = (text: string | null) => text === null;
const isAway = (text: string | null) => text?.endsWith('the store is away') === true;

describe('a failing store', () => {
  it('is shown, and what was due meanwhile is done afterwards', async () => {
    const first = await deployment.propose(now + 1000);
    let broken = true;
    const processes = deployment.run(
      'node-a',
      {},
      failingStore(deployment.store, () => broken),
    );
    await eventually(async () => isAway((await healthOf(processes, 'expiry')).lastError));
    now += 1000;
    broken = false;
    await eventually(async () => (await deployment.statusOf(first)) === 'expired');

    const second = await deployment.propose(now + 40_000);
    await eventually(async () => (await healthOf(processes, 'expiry')).pending === 1);
    broken = true;
    now += 40_000;
    await eventually(async () => (await healthOf(processes, 'expiry')).lastError !== null);
    broken = false;
    await eventually(async () => (await deployment.statusOf(second)) === 'expired');
    await untilHealth(processes, 'expiry', isNull);
    expect(await deployment.eventsOf(second, 'interaction-expired')).toHaveLength(1);
  });
});

describe('a process waits no longer for an older failure that is over', () => {
  it('when its subscription ends again and again', async () => {
    let ended = 0;
    const store: EventStore = new Proxy(deployment.store, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        if (member !== 'subscribeAll') return value.bind(target) as unknown;
        return async function* (...args: Parameters<EventStore['subscribeAll']>) {
          for await (const message of target.subscribeAll(...args)) {
            yield message;
            if (message.kind === 'caught-up' && ended++ < 3 * FAILURES) return;
          }
        };
      },
    });
    const processes = deployment.run('node-a', GROWING, store);
    await eventually(() => ended > 3 * FAILURES);
    await untilHealth(processes, 'expiry', isNull);
  });

  it('when its calendar cannot be read every other time', async () => {
    let reads = 0;
    const store = failingStore(
      deployment.store,
      (member, stream) =>
        member === 'readStream' && stream === calendarStream('erasure') && ++reads % 2 === 1,
    );
    deployment.run('node-a', GROWING, store);
    await eventually(() => reads > 2 * FAILURES);
  });
});

describe('a fault that is over does not stay in health', () => {
  it('when the calendar is read again, without any further event', async () => {
    let broken = true;
    const store = failingStore(
      deployment.store,
      (member, stream) => broken && member === 'readStream' && stream === calendarStream('erasure'),
    );
    const processes = deployment.run('node-a', {}, store);
    await untilHealth(processes, 'erasure', isAway);
    // What is read of the log says nothing about the calendar.
    await deployment.propose(now + 1000);
    const head = await deployment.store.head();
    await eventually(async () => (await healthOf(processes, 'erasure')).seen >= head);
    expect((await healthOf(processes, 'erasure')).lastError).toMatch(/^the process stands still: /);
    broken = false;
    await untilHealth(processes, 'erasure', isNull);
  });

  it('when what failed is no longer called for', async () => {
    const id = await deployment.propose(now + 1000);
    deployment.beforeEffect = () => Promise.reject(new Error('the store is away'));
    const processes = deployment.run('node-a', { firstRetryMs: 600_000, longestRetryMs: 600_000 });
    now += 1000;
    await untilHealth(processes, 'expiry', isAway);
    deployment.beforeEffect = () => Promise.resolve();
    // Another node has done it.
    const other = await Deployment.open(() => now, deployment.folder);
    other.run('node-a');
    await eventually(async () => (await deployment.statusOf(id)) === 'expired');
    await untilHealth(processes, 'expiry', isNull);
    await other.close();
  });

  it('when the process has begun after all, though its log is still being read', async () => {
    let isStreamBroken = true;
    let isLogBroken = true;
    const store = failingStore(
      deployment.store,
      (member, stream) =>
        (isStreamBroken && member === 'readStream' && stream === processStream('expiry')) ||
        (isLogBroken && member === 'subscribeAll'),
    );
    const processes = deployment.run('node-a', {}, store);
    const begins = async (text: string) =>
      (await healthOf(processes, 'expiry')).lastError?.startsWith(text) === true;
    await eventually(async () => begins('the process cannot begin: '));
    isStreamBroken = false;
    await eventually(async () => begins('the log cannot be read: '));
    isLogBroken = false;
    await untilHealth(processes, 'expiry', isNull);
  });
});
