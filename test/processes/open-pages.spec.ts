import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { START, type EventStore } from '../../src/event-store/port.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import type { InteractionId } from '../../src/kernel/ids.js';
import { millisecondsOf, type Timestamp } from '../../src/kernel/timestamp.js';
import { Agenda } from '../../src/processes/agenda.js';
import type { NotedItem } from '../../src/processes/calendar-events.js';
import { Calendar } from '../../src/processes/calendar.js';
import { OpenPages } from '../../src/processes/open-pages.js';
import { PageFaults } from '../../src/processes/page-faults.js';
import { PROCESS_TIMING } from '../../src/processes/process-timing.js';

const FIRST = '2030-01-31T14';
const SECOND = '2030-01-31T15';

let folder: string;
let store: EventStore;
let calendar: Calendar;
let agenda: Agenda<string>;
let pages: OpenPages<string>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pages-'));
  store = await openSqliteEventStore(join(folder, 'events.db'));
  calendar = calendarOf('node-a');
  agenda = new Agenda();
  const faults = new PageFaults(PROCESS_TIMING, (what) => what);
  const recall = ({ interactionId }: NotedItem) => ({ key: interactionId, item: interactionId });
  pages = new OpenPages(calendar, agenda, recall, faults);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function calendarOf(node: string): Calendar {
  return new Calendar({ name: 'erasure', node, clock: () => 0, random: randomBytes }, store);
}

async function note(page: string, count: number, on = calendar): Promise<void> {
  const items = Array.from({ length: count }, (_, index) => itemAt(page, index));
  expect((await on.note(items)).flatMap(({ noted }) => noted)).toHaveLength(count);
}

function itemAt(page: string, index: number): NotedItem {
  return {
    interactionId: `${page} ${String(index)}` as InteractionId,
    dueAt: `${page}:30:00.000Z` as Timestamp,
    eventId: 'event',
    correlationId: 'correlation',
  };
}

const finishDue = (limit: number): void => {
  for (const due of agenda.takeDue(Infinity, limit)) agenda.finish(due);
};

async function tendWhileThereIsWork(hour: string): Promise<void> {
  for (let round = 0; pages.hasWork(hour); round++) {
    if (round > 1000) throw new Error('no end');
    await pages.tend(hour);
  }
}

it('what stands on a page is due to the millisecond, whenever the page is opened', async () => {
  await note(FIRST, 1);
  expect(pages.hasWork('2030-01-31T13')).toBe(false);
  await tendWhileThereIsWork(FIRST);
  expect(agenda.nextTryAt()).toBe(millisecondsOf(itemAt(FIRST, 0).dueAt));
});

it('a page is closed once all that stands on it is done, and not before', async () => {
  await note(FIRST, 3);
  await tendWhileThereIsWork(FIRST);
  finishDue(2);
  await tendWhileThereIsWork(FIRST);
  expect(calendar.has(FIRST)).toBe(true);
  finishDue(1);
  expect(pages.hasWork(FIRST)).toBe(true);
  await tendWhileThereIsWork(FIRST);
  expect([calendar.has(FIRST), pages.hasWork(FIRST)]).toEqual([false, false]);
});

it('what cannot be done keeps its own page open, and no other from being worked off', async () => {
  await note(FIRST, 1);
  await note(SECOND, 1);
  await tendWhileThereIsWork(SECOND);
  const [stuck, other] = agenda.takeDue(Infinity, 2);
  agenda.putOff(stuck!, Infinity, 1);
  agenda.finish(other!);
  await tendWhileThereIsWork(SECOND);
  expect([calendar.has(FIRST), calendar.has(SECOND), agenda.size]).toEqual([true, false, 1]);
});

it('a page that holds very much is brought back part by part', async () => {
  const count = 25_000;
  await note(FIRST, count);
  let most = 0;
  let done = 0;
  while (calendar.has(FIRST)) {
    await tendWhileThereIsWork(FIRST);
    most = Math.max(most, agenda.size);
    done += Math.min(agenda.size, 3_000);
    finishDue(3_000);
  }
  expect(done).toBe(count);
  expect(most).toBeLessThan(12_000);
});

it('what an event has put on the agenda is not replaced, and the page not kept open by it', async () => {
  await note(FIRST, 1);
  const key = itemAt(FIRST, 0).interactionId;
  const origin = { kind: 'event', position: START, after: START } as const;
  agenda.add({ key, item: 'of an event', dueAt: 0, origin });
  await tendWhileThereIsWork(FIRST);
  expect([agenda.get(key), calendar.has(FIRST)]).toEqual(['of an event', false]);
});

it('what another node has closed is not kept', async () => {
  await note(FIRST, 2);
  await tendWhileThereIsWork(FIRST);
  expect(agenda.size).toBe(2);
  const other = calendarOf('node-b');
  await other.close(FIRST, (await other.read(FIRST, 0)).next);
  await calendar.refresh();
  pages.forgetClosed();
  expect([agenda.size, agenda.recalled, pages.hasWork(FIRST)]).toEqual([0, 0, false]);
});

it('what is noted while the rest is worked off is done before the page is closed', async () => {
  await note(FIRST, 2);
  await tendWhileThereIsWork(FIRST);
  const late: NotedItem = { ...itemAt(FIRST, 7) };
  await calendarOf('node-b').note([late]);
  finishDue(2);
  await tendWhileThereIsWork(FIRST);
  expect([agenda.get(late.interactionId), calendar.has(FIRST)]).toEqual([late.interactionId, true]);
});
