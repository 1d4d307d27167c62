import { decodeEvent } from '../event-store/codec.js';
import type { EventStore } from '../event-store/port.js';
import type { Timestamp } from '../kernel/timestamp.js';
import {
  CALENDAR_EVENT_TYPES,
  calendarStream,
  type CalendarIndexEvent,
  type CalendarPage,
} from './calendar-events.js';
import { processEnvelope, type ProcessWriter } from './process-envelope.js';

/** Which pages of a process's calendar there are: a stream that all nodes read and write. */
export class CalendarIndex {
  /** Announced and not done, as of the last look. */
  readonly #pages = new Set<CalendarPage>();
  #inOrder: readonly CalendarPage[] | undefined;
  #revision = -1;
  #recordedAt: Timestamp | undefined;
  readonly #stream: string;

  constructor(
    private readonly writer: ProcessWriter,
    private readonly store: EventStore,
  ) {
    this.#stream = calendarStream(writer.name);
  }

  /** Learns which pages other nodes have announced and done. */
  async refresh(): Promise<void> {
    for (const envelope of await this.store.readStream(this.#stream, this.#revision + 1)) {
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

  /** Before anything is noted on them. */
  async announce(pages: readonly CalendarPage[]): Promise<void> {
    const { node } = this.writer;
    await this.#append(() => {
      const missing = pages.filter((page) => !this.#pages.has(page)).sort();
      if (missing.length === 0) return undefined;
      return { type: 'calendar-pages-begun', data: { node, pages: missing }, texts: null };
    });
  }

  /** Once the page is closed. */
  async forget(page: CalendarPage): Promise<void> {
    const { node } = this.writer;
    await this.#append(() =>
      this.#pages.has(page)
        ? { type: 'calendar-page-done', data: { node, page }, texts: null }
        : undefined,
    );
  }

  /** Appends what is to be said as the index stands; nothing when that is undefined. */
  async #append(event: () => CalendarIndexEvent | undefined): Promise<void> {
    for (;;) {
      await this.refresh();
      const said = event();
      if (said === undefined) return;
      const envelope = processEnvelope(this.writer, said, this.#recordedAt);
      const expected = this.#revision === -1 ? 'no-stream' : this.#revision;
      const appended = await this.store.append(this.#stream, expected, [envelope]);
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
