import type { EventStore } from '../event-store/port.js';
import { timestampOf } from '../kernel/timestamp.js';
import type { Agenda, DueItem } from './agenda.js';
import { Calendar, pageAt } from './calendar.js';
import type { CalendarPage, NotedItem } from './calendar-events.js';
import type { LeaseAndCheckpoint } from './lease-and-checkpoint.js';
import { OpenPages } from './open-pages.js';
import type { CalendarRules } from './process.js';
import type { ProcessWriter } from './process-envelope.js';
import type { ProcessTiming } from './process-timing.js';

export interface KeptCalendarOptions<Item> {
  readonly rules: CalendarRules<Item>;
  readonly writer: ProcessWriter;
  readonly store: EventStore;
  readonly agenda: Agenda<Item>;
  readonly record: LeaseAndCheckpoint;
  readonly timing: ProcessTiming;
}

/**
 * Moves what is due much later from the agenda to the calendar, and back when its hour comes. Only
 * whoever holds the lease writes and reads pages; the others look at times whether there are any.
 */
export class KeptCalendar<Item> {
  readonly #calendar: Calendar;
  readonly #pages: OpenPages<Item>;
  /** Of the monotonic clock, in milliseconds. */
  #nextLook = 0;
  #nextTry = 0;

  constructor(private readonly options: KeptCalendarOptions<Item>) {
    const { writer, store, agenda, rules } = options;
    this.#calendar = new Calendar(writer, store);
    this.#pages = new OpenPages(this.#calendar, agenda, (noted) => rules.recall(noted));
  }

  /** Whether the agenda holds something that is to be noted. */
  get hasMuchLater(): boolean {
    return this.#muchLater().next().done !== true;
  }

  /** For how long the process may sleep, in milliseconds. */
  get sleepMs(): number {
    return this.#pages.hasWork(this.#hour) ? this.options.timing.foreignLeasePollMs : Infinity;
  }

  /** Notes what is due much later, and takes it from the agenda. Before the checkpoint is moved. */
  async noteMuchLater(): Promise<void> {
    const { agenda, record, rules } = this.options;
    if (!this.hasMuchLater || !(await record.ensureLease())) return;
    const dueOf = new Map<NotedItem, DueItem<Item>>();
    for (const due of this.#muchLater()) {
      const toNote = { ...rules.note(due.item), dueAt: timestampOf(due.dueAt) };
      dueOf.set(toNote, due);
    }
    for (const noted of await this.#calendar.note([...dueOf.keys()])) {
      const due = dueOf.get(noted);
      if (due !== undefined) agenda.finish(due);
    }
  }

  /** @returns whether something was put on the agenda, or done. */
  async tend(): Promise<boolean> {
    const { longestSleepMs, foreignLeasePollMs } = this.options.timing;
    if (performance.now() >= this.#nextLook) {
      await this.#look();
      this.#nextLook = performance.now() + longestSleepMs;
    }
    if (performance.now() < this.#nextTry || !this.#pages.hasWork(this.#hour)) return false;
    if (await this.options.record.ensureLease()) {
      await this.#pages.tend(this.#hour);
      return true;
    }
    await this.#look();
    this.#nextTry = performance.now() + foreignLeasePollMs;
    return false;
  }

  async #look(): Promise<void> {
    await this.#calendar.refresh();
    this.#pages.forgetClosed();
  }

  *#muchLater(): Generator<DueItem<Item>, undefined> {
    const { agenda, timing, writer } = this.options;
    yield* agenda.muchLater(writer.clock() + timing.muchLaterMs);
  }

  /** Opened a little before it comes, so that nothing on it is late. */
  get #hour(): CalendarPage {
    const { timing, writer } = this.options;
    return pageAt(timestampOf(writer.clock() + 2 * timing.longestSleepMs));
  }
}
