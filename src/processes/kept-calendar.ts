import type { EventStore } from '../event-store/port.js';
import { timestampOf } from '../kernel/timestamp.js';
import type { Agenda, DueItem } from './agenda.js';
import { Calendar, pageAt } from './calendar.js';
import type { CalendarPage, NotedItem } from './calendar-events.js';
import type { ReportFault } from './fault.js';
import type { LeaseAndCheckpoint } from './lease-and-checkpoint.js';
import { OpenPages } from './open-pages.js';
import { PageFaults } from './page-faults.js';
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
  readonly reportFault: ReportFault;
}

/** Noted in one go, and items at most: what is due meanwhile does not wait for a year's pages. */
const PAGES_PER_PASS = 100;
const ITEMS_PER_PASS = 10_000;

/**
 * Moves what is due much later from the agenda to the calendar, and back when its hour comes. Only
 * whoever holds the lease writes and reads pages; the others look at times whether there are any.
 */
export class KeptCalendar<Item> {
  readonly #calendar: Calendar;
  readonly #pages: OpenPages<Item>;
  readonly #faults: PageFaults;
  /** Of the monotonic clock, in milliseconds. */
  #nextLook = 0;
  #nextTry = 0;

  constructor(private readonly options: KeptCalendarOptions<Item>) {
    const { writer, store, agenda, rules, timing, reportFault } = options;
    const recall = (noted: NotedItem): ReturnType<typeof rules.recall> => rules.recall(noted);
    this.#calendar = new Calendar(writer, store);
    this.#faults = new PageFaults(timing, reportFault);
    this.#pages = new OpenPages(this.#calendar, agenda, recall, this.#faults);
  }

  /** See {@link PageFaults}. */
  get fault(): string | null {
    return this.#faults.fault;
  }

  /** See {@link PageFaults}. */
  get oldestDueAt(): number {
    return this.#faults.oldestDueAt;
  }

  /** Whether the agenda holds something that is to be noted. */
  get hasMuchLater(): boolean {
    return this.#muchLater().next().done !== true;
  }

  /** For how long the process may sleep, in milliseconds. */
  get sleepMs(): number {
    return this.#pages.hasWork(this.#hour) ? this.options.timing.foreignLeasePollMs : Infinity;
  }

  /** Notes some of what is due much later, and takes it from the agenda. Before the checkpoint is moved. */
  async noteMuchLater(): Promise<void> {
    const { agenda, record } = this.options;
    const dueOf = this.#nextPass();
    if (dueOf.size === 0 || !(await record.ensureLease())) return;
    for (const { page, noted, fault } of await this.#calendar.note([...dueOf.keys()])) {
      for (const item of noted) {
        const due = dueOf.get(item);
        if (due !== undefined) agenda.finish(due);
      }
      if (fault !== undefined) this.#faults.failed(page, fault);
      else if (noted.length > 0) this.#faults.settled(page);
      // Closed, though its hour is far off: the clock was another one.
      else this.#faults.putOff(page);
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

  #nextPass(): ReadonlyMap<NotedItem, DueItem<Item>> {
    const { rules } = this.options;
    const dueOf = new Map<NotedItem, DueItem<Item>>();
    const pages = new Set<CalendarPage>();
    for (const due of this.#muchLater()) {
      const dueAt = timestampOf(due.dueAt);
      const page = pageAt(dueAt);
      if (!this.#faults.mayTry(page)) continue;
      if (!pages.has(page) && pages.size === PAGES_PER_PASS) continue;
      pages.add(page);
      dueOf.set({ ...rules.note(due.item), dueAt }, due);
      if (dueOf.size === ITEMS_PER_PASS) break;
    }
    return dueOf;
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
