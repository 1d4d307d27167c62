import { decodeEvent } from '../event-store/codec.js';
import type { EventStore } from '../event-store/port.js';
import type { Timestamp } from '../kernel/timestamp.js';
import {
  CALENDAR_EVENT_TYPES,
  calendarStream,
  pageStream,
  type CalendarIndexEvent,
  type CalendarPage,
  type CalendarPageEvent,
  type NotedEntry,
} from './calendar-events.js';
import { processEnvelope, type ProcessWriter } from './process-envelope.js';

/** In one event, and in one append: far below what an engine takes. */
const ENTRIES_PER_EVENT = 100;
const ENTRIES_PER_APPEND = 1_000;
/** That are read of a page at once. */
const EVENTS_PER_PART = 10;

/** The next events of a page. */
export interface PagePart {
  readonly entries: readonly NotedEntry[];
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
  /** Announced and not done, as of the last look. */
  readonly #pages = new Set<CalendarPage>();
  #inOrder: readonly CalendarPage[] | undefined;
  #revision = -1;
  #recordedAt: Timestamp | undefined;

  constructor(
    private readonly writer: ProcessWriter,
    private readonly store: EventStore,
  ) {}

  /** Learns which pages other nodes have announced and done. */
  async refresh(): Promise<void> {
    const stream = calendarStream(this.writer.name);
    for (const envelope of await this.store.readStream(stream, this.#revision + 1)) {
      // Two looks at once may have read the same events.
      if (envelope.revision <= this.#revision) continue;
      const event = decodeEvent<CalendarIndexEvent>(envelope, CALENDAR_EVENT_TYPES, undefined);
      this.#record(event);
      this.#revision = envelope.revision;
      this.#recordedAt = envelope.recordedAt;
    }
  }

  has(page: CalendarPage): boolean {
    return this.#pages.has(page);
  }

  /** Those of this hour and earlier, the earliest first. */
  pagesUpTo(hour: CalendarPage): readonly CalendarPage[] {
    this.#inOrder ??= [...this.#pages].sort();
    const later = this.#inOrder.findIndex((page) => page > hour);
    return later === -1 ? this.#inOrder : this.#inOrder.slice(0, later);
  }

  /** @returns those that are noted now; not what falls on a page that is closed. */
  async note(entries: readonly NotedEntry[]): Promise<ReadonlySet<NotedEntry>> {
    const byPage = onPages(entries);
    await this.#announce([...byPage.keys()]);
    const noted = new Set<NotedEntry>();
    for (const [page, ofPage] of byPage) {
      for (let next = 0; next < ofPage.length; next += ENTRIES_PER_APPEND) {
        const some = ofPage.slice(next, next + ENTRIES_PER_APPEND);
        if (!(await this.#noteOn(page, some))) break;
        for (const entry of some) noted.add(entry);
      }
    }
    return noted;
  }

  /** @param from revision */
  async read(page: CalendarPage, from: number): Promise<PagePart> {
    const stream = pageStream(this.writer.name, page);
    const envelopes = await this.store.readStream(stream, from, EVENTS_PER_PART);
    const entries: NotedEntry[] = [];
    for (const envelope of envelopes) {
      const event = decodeEvent<CalendarPageEvent>(envelope, CALENDAR_EVENT_TYPES, undefined);
      if (event.type === 'calendar-entries-noted') entries.push(...event.data.entries);
    }
    const next = from + envelopes.length;
    return { entries, next, isEnd: envelopes.length < EVENTS_PER_PART };
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
    await this.#append(() =>
      this.#pages.has(page)
        ? { type: 'calendar-page-done', data: { node, page }, texts: null }
        : undefined,
    );
    return true;
  }

  async #announce(pages: readonly CalendarPage[]): Promise<void> {
    const { node } = this.writer;
    await this.#append(() => {
      const missing = pages.filter((page) => !this.#pages.has(page)).sort();
      if (missing.length === 0) return undefined;
      return { type: 'calendar-pages-begun', data: { node, pages: missing }, texts: null };
    });
  }

  async #noteOn(page: CalendarPage, entries: readonly NotedEntry[]): Promise<boolean> {
    const { node } = this.writer;
    const stream = pageStream(this.writer.name, page);
    for (;;) {
      const last = await this.store.readLast(stream);
      if (last?.type === 'calendar-page-closed') return false;
      const events = inParts(entries).map((part) =>
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

  /** Appends to the index what is to be said as it stands; nothing when that is undefined. */
  async #append(event: () => CalendarIndexEvent | undefined): Promise<void> {
    for (;;) {
      await this.refresh();
      const said = event();
      if (said === undefined) return;
      const envelope = processEnvelope(this.writer, said, this.#recordedAt);
      const expected = this.#revision === -1 ? 'no-stream' : this.#revision;
      const stream = calendarStream(this.writer.name);
      const appended = await this.store.append(stream, expected, [envelope]);
      if (appended.ok) {
        await this.refresh();
        return;
      }
    }
  }

  #record(event: CalendarIndexEvent): void {
    this.#inOrder = undefined;
    switch (event.type) {
      case 'calendar-pages-begun':
        for (const page of event.data.pages) this.#pages.add(page);
        return;
      case 'calendar-page-done':
        this.#pages.delete(event.data.page);
        return;
    }
  }
}

/** The page of a moment. */
export function pageAt(moment: Timestamp): CalendarPage {
  return moment.slice(0, 'YYYY-MM-DDTHH'.length);
}

function onPages(entries: readonly NotedEntry[]): ReadonlyMap<CalendarPage, NotedEntry[]> {
  const byPage = new Map<CalendarPage, NotedEntry[]>();
  for (const entry of entries) {
    const page = pageAt(entry.dueAt);
    const ofPage = byPage.get(page);
    if (ofPage === undefined) byPage.set(page, [entry]);
    else ofPage.push(entry);
  }
  return byPage;
}

function inParts(entries: readonly NotedEntry[]): readonly (readonly NotedEntry[])[] {
  const count = Math.ceil(entries.length / ENTRIES_PER_EVENT);
  return Array.from({ length: count }, (_, part) =>
    entries.slice(part * ENTRIES_PER_EVENT, (part + 1) * ENTRIES_PER_EVENT),
  );
}
