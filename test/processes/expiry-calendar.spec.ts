import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventStore } from '../../src/event-store/port.js';
import type { InteractionId } from '../../src/kernel/ids.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import { calendarStream, pageStream } from '../../src/processes/calendar-events.js';
import { pageAt } from '../../src/processes/calendar.js';
import type { Processes } from '../../src/processes/processes.js';
import { aMoment, eventually } from '../support/eventually.js';
import { DAY } from '../support/interaction-fixtures.js';
import { storeWith } from '../support/store-with.js';
import { ALPHA, BETA, Deployment, healthOf } from './support/deployment.js';

/** After the first few events, once nothing has happened for a second. */
const SOON = { checkpointAfterEvents: 1, idleMs: 1000, checkpointAtLatestAfterEvents: 1000 };
const LIFETIME = 60 * DAY;

let now: number;
let begun: number;
let deployment: Deployment;

beforeEach(async () => {
  now = begun = Date.parse('2030-01-01T00:00:00.000Z');
  deployment = await Deployment.open(() => now);
  await deployment.register(ALPHA);
  await deployment.register(BETA);
});

afterEach(async () => {
  await deployment.dispose();
});

const run = (node: string): Processes => deployment.run(node, SOON);
const propose = async (): Promise<InteractionId> => deployment.propose(begun + LIFETIME);
const typesIn = async (stream: string) => (await deployment.events(stream)).map(({ type }) => type);
const indexOf = async () => typesIn(calendarStream('expiry'));
const page = () => pageStream('expiry', pageAt(timestampOf(begun + LIFETIME)));

async function untilPending(processes: Processes, pending: number): Promise<void> {
  await eventually(async () => {
    const health = await healthOf(processes, 'expiry');
    return health.state === 'following' && health.pending === pending && health.overdueMs === 0;
  });
}

/** Nothing of what is open is in memory any more, nor would be after a start. */
async function untilNoted(processes: Processes): Promise<void> {
  const head = await deployment.store.head();
  await eventually(async () => {
    now += 500;
    const { state, checkpoint, pending } = await healthOf(processes, 'expiry');
    return state === 'following' && checkpoint >= head && pending === 0;
  });
}

async function untilExpired(...ids: readonly InteractionId[]): Promise<void> {
  for (const id of ids) {
    await eventually(async () => {
      now += 500;
      return (await deployment.statusOf(id)) === 'expired';
    });
    expect(await deployment.eventsOf(id, 'interaction-expired')).toHaveLength(1);
  }
}

describe('what expires much later', () => {
  it('stands on a page of its hour; neither memory nor the next start has it', async () => {
    const ids = [await propose(), await propose(), await propose()];
    const first = run('node-a');
    await untilNoted(first);
    expect(await indexOf()).toEqual(['calendar-pages-begun']);
    const [noted, ...more] = await deployment.events(page());
    expect(more).toEqual([]);
    expect(noted?.data['entries']).toMatchObject(
      ids.map((interactionId) => ({ interactionId, dueAt: timestampOf(begun + LIFETIME) })),
    );
    await first.stop();

    const second = run('node-a');
    await untilPending(second, 0);
    await aMoment();
    expect(deployment.performed).toEqual([]);
  });

  it('expires to the millisecond, by whoever comes then, as if it had never been noted', async () => {
    const id = await propose();
    const [proposed] = await deployment.eventsOf(id, 'interaction-proposed');
    const first = run('node-a');
    await untilNoted(first);
    await first.stop();
    const second = run('node-b');
    await untilPending(second, 0);
    now = begun + LIFETIME - 1;
    await untilPending(second, 1);
    await aMoment();
    expect(deployment.performed).toEqual([]);
    now += 1;
    await eventually(async () => (await deployment.statusOf(id)) === 'expired');
    const [expired, ...more] = await deployment.eventsOf(id, 'interaction-expired');
    expect(more).toEqual([]);
    expect(expired).toMatchObject({
      recordedAt: timestampOf(now),
      data: { effectiveAt: timestampOf(now) },
      metadata: {
        actor: { principal: 'process:expiry' },
        causationId: proposed?.id,
        correlationId: proposed?.metadata.correlationId,
      },
    });
    await eventually(async () => {
      now += 500;
      return (await indexOf()).includes('calendar-page-done');
    });
    expect(await typesIn(page())).toEqual(['calendar-entries-noted', 'calendar-page-closed']);
    await untilPending(second, 0);
  });

  it('that expired while no process ran is recorded once', async () => {
    const id = await propose();
    const first = run('node-a');
    await untilNoted(first);
    await first.stop();
    now += 2 * LIFETIME;
    const [a, b] = [run('node-a'), run('node-b')];
    await untilExpired(id);
    await untilPending(a, 0);
    await untilPending(b, 0);
    expect(await deployment.eventsOf(id, 'interaction-expired')).toHaveLength(1);
  });

  it('is left alone where it has ended meanwhile', async () => {
    const [rejected, withdrawn, cancelled] = [await propose(), await propose(), await propose()];
    await deployment.actOnHead(cancelled, BETA, { kind: 'accept' });
    const processes = run('node-a');
    await untilNoted(processes);
    await deployment.actOnHead(rejected, BETA, { kind: 'reject' });
    await deployment.actOnHead(withdrawn, ALPHA, { kind: 'withdraw' });
    await deployment.actOnHead(cancelled, BETA, { kind: 'cancel' });
    now = begun + LIFETIME;
    await eventually(async () => {
      now += 500;
      return (await indexOf()).includes('calendar-page-done');
    });
    expect(await deployment.statusOf(rejected)).toBe('rejected');
    expect(await deployment.statusOf(withdrawn)).toBe('cancelled');
    expect(await deployment.statusOf(cancelled)).toBe('cancelled');
    await untilPending(processes, 0);
  });

  it('expires although an amendment is rejected or withdrawn, before its hour or in it', async () => {
    const ids = await Promise.all([propose(), propose(), propose(), propose()]);
    for (const id of ids) await deployment.actOnHead(id, BETA, { kind: 'accept' });
    const processes = run('node-a');
    await untilNoted(processes);
    const amend = async (id: InteractionId, how: number): Promise<void> => {
      await deployment.actOnHead(id, ALPHA, { kind: 'revise', purpose: 'more' });
      if (how % 2 === 0) await deployment.actOnHead(id, BETA, { kind: 'reject' });
      else await deployment.actOnHead(id, ALPHA, { kind: 'withdraw' });
    };
    for (const [how, id] of ids.slice(0, 2).entries()) await amend(id, how);
    now = begun + LIFETIME - 1;
    await untilPending(processes, ids.length);
    for (const [how, id] of ids.slice(2).entries()) await amend(id, how);
    const head = await deployment.store.head();
    await eventually(async () => (await healthOf(processes, 'expiry')).seen >= head);
    now = begun + LIFETIME;
    await untilExpired(...ids);
  });
});

describe('a page that cannot be used', () => {
  const pageOf = (dueAt: number) => pageStream('expiry', pageAt(timestampOf(dueAt)));
  let isDamaged: boolean;
  /** Neither read nor written while it is damaged. */
  const withDamaged = (bad: string): EventStore => {
    const refuse = (stream: string): void => {
      if (isDamaged && stream === bad) throw new Error('an event of it is damaged');
    };
    return storeWith(deployment.store, {
      readStream: async (stream, ...asked) => {
        refuse(stream);
        return deployment.store.readStream(stream, ...asked);
      },
      readLast: async (stream) => {
        refuse(stream);
        return deployment.store.readLast(stream);
      },
    });
  };

  beforeEach(() => {
    isDamaged = false;
  });

  it('keeps neither other pages nor anything else waiting, shows in health, and is tried again', async () => {
    const [first, second] = [begun + 10 * DAY, begun + 11 * DAY];
    const damaged = await deployment.propose(first);
    const other = await deployment.propose(second);
    const processes = deployment.run('node-a', SOON, withDamaged(pageOf(first)));
    await untilNoted(processes);
    isDamaged = true;
    now = second + 5000;
    await untilExpired(other);
    await untilExpired(await deployment.propose(now + 1000));
    expect(await deployment.statusOf(damaged)).toBe('pending');
    const { lastError, overdueMs } = await healthOf(processes, 'expiry');
    expect(lastError).toMatch(/^the calendar's page 2030-01-11T00 cannot be used: an event of it/);
    expect(overdueMs).toBeGreaterThan(DAY);
    isDamaged = false;
    await untilExpired(damaged);
    await eventually(async () => (await healthOf(processes, 'expiry')).lastError === null);
  });

  it('is noted on again alone: what stands on others is noted once', async () => {
    const days = Array.from({ length: 120 }, (_, day) => begun + (10 + day) * DAY);
    for (const day of days) await deployment.propose(day);
    isDamaged = true;
    const bad = pageOf(days[3] ?? 0);
    const processes = deployment.run('node-a', SOON, withDamaged(bad));
    await eventually(async () => {
      now += 500;
      return (await healthOf(processes, 'expiry')).pending === 1;
    });
    await aMoment();
    expect(await deployment.events(bad)).toEqual([]);
    isDamaged = false;
    await untilNoted(processes);
    for (const day of days) expect(await typesIn(pageOf(day))).toEqual(['calendar-entries-noted']);
  });
});
