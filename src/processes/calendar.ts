import { decodeEvent } from '../event-store/codec.js';
import type { EventStore } from '../event-store/port.js';
import type { Timestamp } from '../kernel/timestamp.js';
import {
  CALENDAR_EVENT_TYPES,
  pageStream,
  type CalendarPage,
  type CalendarPageEvent,
  type NotedItem,
} from './calendar-events.js';
import { CalendarIndex } from './calendar-index.js';
import { processEnvelope, type ProcessWriter } from './process-envelope.js';

/** In one event, and in one append: far below what an engine takes. */
const ITEMS_PER_EVENT = 100;
const ITEMS_PER_APPEND = 1_000;
/** That are read of a page at once. */
const EVENTS_PER_PART = 10;

/** What came of noting items on one page. */
export interface PageNoted {
  readonly page: CalendarPage;
  /** Not those that fall on a page that is closed. */
  readonly noted: readonly NotedItem[];
  /** Why the others are not. */
  readonly fault?: unknown;
}

/** The next events of a page. */
export interface PagePart {
  readonly items: readonly NotedItem[];
  /** Revision of the event to come. */
  readonly next: number;
  /** Nothing comes after it as yet. */
  readonly isEnd: boolean;
}

/**
 * What a process has to do much later, kept in the log's engine and not in memory: a stream for each hour
 * in which something becomes due, and one that says which of them there are.
 *
 * A page is announced before anything is noted on it, and closed before it is forgotten. Whatever is
 * noted is therefore found, whenever a node dies; some of it twice, which changes nothing.
 */
export class Calendar {
  readonly #index: CalendarIndex;

  constructor(
    private readonly writer: ProcessWriter,
    private readonly store: EventStore,
  ) {
    this.#index = new CalendarIndex(writer, store);
  }

  /** Learns which pages other nodes have announced and done. */
  async refresh(): Promise<void> {
    await this.#index.refresh();
  }

  /** Whether the page was announced and is not done, as of the last look. */
  has(page: CalendarPage): boolean {
    return this.#index.has(page);
  }

  /** Those of this hour and earlier, the earliest first. */
  pagesUpTo(hour: CalendarPage): readonly CalendarPage[] {
    return this.#index.pagesUpTo(hour);
  }

  /** Notes each on its page, on all pages at the same time: one that fails keeps none from the others. */
  async note(items: readonly NotedItem[]): Promise<readonly PageNoted[]> {
    const byPage = onPages(items);
    await this.#index.announce([...byPage.keys()]);
    return await Promise.all(
      Array.from(byPage, async ([page, ofPage]) => await this.#noteOn(page, ofPage)),
    );
  }

  /** @param from revision */
  async read(page: CalendarPage, from: number): Promise<PagePart> {
    const stream = pageStream(this.writer.name, page);
    const envelopes = await this.store.readStream(stream, from, EVENTS_PER_PART);
    const items: NotedItem[] = [];
    for (const envelope of envelopes) {
      const event = decodeEvent<CalendarPageEvent>(envelope, CALENDAR_EVENT_TYPES, undefined);
      if (event.type === 'calendar-entries-noted') items.push(...event.data.entries);
    }
    const next = from + envelopes.length;
    return { items, next, isEnd: envelopes.length < EVENTS_PER_PART };
  }

  /**
   * To be called once everything on the page is done.
   * @param next as it was read
   * @returns false: something was noted since.
   */
  async close(page: CalendarPage, next: number): Promise<boolean> {
    const { node } = this.writer;
    const stream = pageStream(this.writer.name, page);
    const last = await this.store.readLast(stream);
    if (last?.type !== 'calendar-page-closed') {
      if ((last?.revision ?? -1) !== next - 1) return false;
      const event = { type: 'calendar-page-closed', data: { node }, texts: null } as const;
      const envelope = processEnvelope(this.writer, event, last?.recordedAt);
      const expected = next === 0 ? 'no-stream' : next - 1;
      if (!(await this.store.append(stream, expected, [envelope])).ok) return false;
    }
    await this.#index.forget(page);
    return true;
  }

  async #noteOn(page: CalendarPage, items: readonly NotedItem[]): Promise<PageNoted> {
    const noted: NotedItem[] = [];
    try {
      for (let next = 0; next < items.length; next += ITEMS_PER_APPEND) {
        const some = items.slice(next, next + ITEMS_PER_APPEND);
        if (!(await this.#append(page, some))) break;
        noted.push(...some);
      }
      return { page, noted };
    } catch (fault) {
      return { page, noted, fault };
    }
  }

  /** @returns false: the page is closed. */
  async #append(page: CalendarPage, items: readonly NotedItem[]): Promise<boolean> {
    const { node } = this.writer;
    const stream = pageStream(this.writer.name, page);
    for (;;) {
      const last = await this.store.readLast(stream);
      if (last?.type === 'calendar-page-closed') return false;
      const events = inParts(items).map((part) =>
        processEnvelope(
          this.writer,
          { type: 'calendar-entries-noted', data: { node, entries: part }, texts: null },
          last?.recordedAt,
        ),
      );
      const appended = await this.store.append(stream, last?.revision ?? 'no-stream', events);
      if (appended.ok) return true;
    }
  }
}

/** The page of a moment. */
export function pageAt(moment: Timestamp): CalendarPage {
  return moment.slice(0, 'YYYY-MM-DDTHH'.length);
}

function onPages(items: readonly NotedItem[]): ReadonlyMap<CalendarPage, NotedItem[]> {
  const byPage = new Map<CalendarPage, NotedItem[]>();
  for (const item of items) {
    const page = pageAt(item.dueAt);
    const ofPage = byPage.get(page);
    if (ofPage === undefined) byPage.set(page, [item]);
    else ofPage.push(item);
  }
  return byPage;
}

function inParts(items: readonly NotedItem[]): readonly (readonly NotedItem[])[] {
  const count = Math.ceil(items.length / ITEMS_PER_EVENT);
  return Array.from({ length: count }, (_, part) =>
    items.slice(part * ITEMS_PER_EVENT, (part + 1) * ITEMS_PER_EVENT),
  );
}
