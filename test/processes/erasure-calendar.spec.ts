import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { START, type EventStore, type Position } from '../../src/event-store/port.js';
import { interactionStream } from '../../src/interactions/domain/stream.js';
import type { AgentId, InteractionId } from '../../src/kernel/ids.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import { calendarStream, pageStream } from '../../src/processes/calendar-events.js';
import { pageAt } from '../../src/processes/calendar.js';
import { processStream } from '../../src/processes/events.js';
import type { Processes } from '../../src/processes/processes.js';
import { aMoment, eventually } from '../support/eventually.js';
import { DAY } from '../support/interaction-fixtures.js';
import { ALPHA, BETA, Deployment, healthOf } from './support/deployment.js';

const PARTIES: readonly AgentId[] = [ALPHA, BETA];
const RETENTION = 30 * DAY;
/** After the first few events, once nothing has happened for a second. */
const SOON = { checkpointAfterEvents: 1, idleMs: 1000, checkpointAtLatestAfterEvents: 1000 };

let now: number;
let deployment: Deployment;
/** Of the event that ended the last of them. */
let lastEnd: Position;

beforeEach(async () => {
  now = Date.parse('2030-01-01T00:00:00.000Z');
  deployment = await Deployment.open(() => now);
  for (const agent of PARTIES) await deployment.register(agent);
});

afterEach(async () => {
  await deployment.dispose();
});

/** Agreed on, and cancelled at `now`; each a second after the other. */
async function ended(count: number): Promise<readonly InteractionId[]> {
  const ids: InteractionId[] = [];
  for (let n = 0; n < count; n++) {
    const id = await deployment.propose(now + 300 * DAY, PARTIES, { retentionDays: 30 });
    await deployment.actOnHead(id, BETA, { kind: 'accept' });
    await deployment.actOnHead(id, BETA, { kind: 'cancel' });
    ids.push(id);
    now += 1000;
    lastEnd = (await deployment.store.readLast(interactionStream(id)))?.position ?? START;
  }
  return ids;
}

const run = (node: string, store?: EventStore): Processes => deployment.run(node, SOON, store);
const erasuresOf = async (id: InteractionId) => deployment.eventsOf(id, 'texts-erased');
const typesIn = async (stream: string) => (await deployment.events(stream)).map(({ type }) => type);
const idOf = ({ interactionId }: { readonly interactionId: InteractionId }) => interactionId;
const indexOf = async () => typesIn(calendarStream('erasure'));

async function untilPending(processes: Processes, pending: number): Promise<void> {
  await eventually(async () => {
    const health = await healthOf(processes, 'erasure');
    return health.state === 'following' && health.pending === pending && health.overdueMs === 0;
  });
}

/** Nothing of what has ended is in memory any more, nor would be after a start. */
async function untilNoted(processes: Processes): Promise<void> {
  await eventually(async () => {
    now += 500;
    const { state, seen, checkpoint, pending } = await healthOf(processes, 'erasure');
    const isThere = seen >= lastEnd && checkpoint >= lastEnd;
    return state === 'following' && isThere && pending === 0;
  });
}

async function expectErasedOnce(ids: readonly InteractionId[]): Promise<void> {
  await eventually(async () => {
    now += 500;
    const found = await Promise.all(ids.map(erasuresOf));
    return found.every((events) => events.length > 0);
  });
  for (const id of ids) {
    expect(await erasuresOf(id)).toHaveLength(1);
    expect(await deployment.keys.find(interactionStream(id))).toBe('erased');
  }
}

describe('what is to be erased much later', () => {
  it('stands on a page of its hour; neither memory nor the next start has it', async () => {
    const ids = await ended(5);
    const page = pageAt(timestampOf(now - 1000 + RETENTION));
    const first = run('node-a');
    await untilNoted(first);
    expect(await indexOf()).toEqual(['calendar-pages-begun']);
    const [noted, ...more] = await deployment.events(pageStream('erasure', page));
    expect(more).toEqual([]);
    const entries = noted?.data['entries'] as { interactionId: InteractionId }[];
    expect(entries.map(idOf).sort()).toEqual([...ids].sort());
    expect(await typesIn(processStream('erasure'))).toContain('checkpoint-moved');
    await first.stop();

    const second = run('node-a');
    await untilPending(second, 0);
    await aMoment();
    expect(deployment.performed).toEqual([]);
  });

  it('is erased to the millisecond, by whoever comes then; its page is closed and done', async () => {
    const [id, other] = (await ended(2)) as [InteractionId, InteractionId];
    const ends = now - 2000;
    const page = pageAt(timestampOf(ends + RETENTION));
    const first = run('node-a');
    await untilNoted(first);
    await first.stop();
    const second = run('node-b');
    await untilPending(second, 0);
    now = ends + RETENTION - 1;
    await untilPending(second, 2);
    await aMoment();
    expect(deployment.performed).toEqual([]);
    now += 1;
    await eventually(async () => (await erasuresOf(id)).length > 0);
    expect((await erasuresOf(id))[0]).toMatchObject({
      recordedAt: timestampOf(now),
      data: { ground: 'retention' },
      metadata: { actor: { principal: 'process:erasure' } },
    });
    expect(await erasuresOf(other)).toEqual([]);
    expect(await indexOf()).toEqual(['calendar-pages-begun']);
    now += 1000;
    await expectErasedOnce([id, other]);
    await eventually(async () => (await indexOf()).length === 2);
    expect(await typesIn(pageStream('erasure', page))).toEqual([
      'calendar-entries-noted',
      'calendar-page-closed',
    ]);
    await untilPending(second, 0);
  });

  it('goes at once with the consent of every party, and its page holds nothing to do then', async () => {
    const [id] = (await ended(1)) as [InteractionId];
    const processes = run('node-a');
    await untilNoted(processes);
    await deployment.actOnHead(id, ALPHA, { kind: 'consent-to-erasure' });
    await deployment.actOnHead(id, BETA, { kind: 'consent-to-erasure' });
    await expectErasedOnce([id]);
    now += RETENTION;
    await eventually(async () => (await indexOf()).includes('calendar-page-done'));
    expect(await erasuresOf(id)).toHaveLength(1);
    expect(deployment.performed.filter((effect) => effect.startsWith('erase '))).toHaveLength(1);
  });

  it('is noted by one of several nodes, forgotten by all, and erased once by those that are left', async () => {
    const ids = await ended(12);
    const nodes = ['node-a', 'node-b', 'node-c'].map((node) => run(node));
    await Promise.all(nodes.map(untilNoted));
    const noted = (await deployment.events(calendarStream('erasure'))).map(
      ({ data }) => data['node'],
    );
    expect(noted).toHaveLength(1);
    // The one that wrote it is gone without a word: its lease runs out.
    const [gone] = nodes.splice(['node-a', 'node-b', 'node-c'].indexOf(String(noted[0])), 1);
    await gone?.stop();
    now += RETENTION;
    await expectErasedOnce(ids);
    for (const node of nodes) await untilPending(node, 0);
    await eventually(async () => (await indexOf()).length === 2);
    expect(await indexOf()).toEqual(['calendar-pages-begun', 'calendar-page-done']);
  });

  const deaths = [false, true].flatMap((isWritten) =>
    [1, 2, 3, 4].map((count) => ({ count, isWritten })),
  );

  it.each(deaths)(
    'is not lost when the node dies as it notes it: at entry $count of its books, written $isWritten',
    async ({ count, isWritten }) => {
      const ids = await ended(4);
      await runUntilItDies(count, isWritten);
      const heir = run('node-a');
      await untilNoted(heir);
      now += RETENTION;
      await expectErasedOnce(ids);
      await untilPending(heir, 0);
      await eventually(async () => (await indexOf()).length === 2);
    },
  );

  it.each(deaths.filter(({ count }) => count <= 3))(
    'nor when it dies as it closes the page: at entry $count of its books, written $isWritten',
    async ({ count, isWritten }) => {
      const ids = await ended(4);
      const first = run('node-a');
      await untilNoted(first);
      await first.stop();
      now += RETENTION;
      await runUntilItDies(count, isWritten);
      const heir = run('node-a');
      await expectErasedOnce(ids);
      await untilPending(heir, 0);
      await eventually(async () => (await indexOf()).length === 2);
    },
  );

  async function runUntilItDies(count: number, isWritten: boolean): Promise<void> {
    const dying = dyingAt(count, isWritten);
    const processes = run('node-a', dying.store);
    await eventually(() => {
      now += 500;
      return dying.isDead();
    });
    await processes.stop();
  }
});

/** The store of a node that dies as it writes so many times into the streams of its process. */
function dyingAt(count: number, isWritten: boolean) {
  let written = 0;
  let isDead = false;
  const { store } = deployment;
  const killed = (): Promise<never> => {
    isDead = true;
    return Promise.reject(new Error('killed'));
  };
  const of = new Proxy(store, {
    get: (target, member) => {
      const bound = (target[member as keyof EventStore] as () => unknown).bind(target);
      if (isDead && member === 'append') return killed;
      if (member !== 'append') return bound;
      return async (...given: Parameters<EventStore['append']>) => {
        if (!given[0].startsWith(processStream('erasure'))) return target.append(...given);
        if (++written < count) return target.append(...given);
        if (isWritten) await target.append(...given);
        return killed();
      };
    },
  });
  return { store: of, isDead: () => isDead };
}
