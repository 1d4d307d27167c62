import type { Agenda } from './agenda.js';
import type { Calendar } from './calendar.js';
import type { CalendarPage, NotedItem } from './calendar-events.js';
import type { PageFaults } from './page-faults.js';
import { millisecondsNotBefore } from '../kernel/timestamp.js';

/** Items that are on the agenda at once: the next ones wait until some of these are done. */
const RECALLED_AT_ONCE = 10_000;

interface OpenPage {
  /** Revision of the page's event that is to be read next. */
  readonly next: number;
  readonly isRead: boolean;
}

const UNREAD: OpenPage = { next: 0, isRead: false };

/**
 * The pages of a calendar whose hour has come: brought back to the agenda part by part, and closed once
 * all that stands on them is done. A page that was not closed is read again by the next start. One that
 * cannot be read keeps no other from being opened.
 */
export class OpenPages<Item> {
  readonly #open = new Map<CalendarPage, OpenPage>();

  constructor(
    private readonly calendar: Calendar,
    private readonly agenda: Agenda<Item>,
    private readonly recall: (noted: NotedItem) => { readonly key: string; readonly item: Item },
    private readonly faults: PageFaults,
  ) {}

  /** Whether {@link tend} has something to do: only whoever holds the lease does it. */
  hasWork(hour: CalendarPage): boolean {
    return this.calendar.pagesUpTo(hour).some((page) => {
      if (!this.faults.mayTry(page)) return false;
      const { isRead } = this.#open.get(page) ?? UNREAD;
      return isRead ? this.agenda.recalledFrom(page) === 0 : this.#hasRoom;
    });
  }

  /**
   * Reads on, and closes what is done.
   * @param hour the last page to open
   */
  async tend(hour: CalendarPage): Promise<void> {
    for (const page of this.calendar.pagesUpTo(hour)) {
      if (!this.faults.mayTry(page)) continue;
      try {
        await this.#tend(page);
        this.faults.settled(page);
      } catch (error) {
        this.faults.failed(page, error);
      }
    }
  }

  /** To be called once the calendar has been looked at: what others have closed is theirs. */
  forgetClosed(): void {
    for (const page of this.#open.keys()) {
      if (this.calendar.has(page)) continue;
      this.agenda.forgetPage(page);
      this.#open.delete(page);
      this.faults.settled(page);
    }
  }

  get #hasRoom(): boolean {
    return this.agenda.recalled < RECALLED_AT_ONCE;
  }

  async #tend(page: CalendarPage): Promise<void> {
    let open = this.#open.get(page) ?? UNREAD;
    if (!open.isRead && this.#hasRoom) {
      open = await this.#readOn(page, open.next);
      this.#open.set(page, open);
    }
    if (!open.isRead || this.agenda.recalledFrom(page) > 0) return;
    if (await this.calendar.close(page, open.next)) this.#open.delete(page);
    else this.#open.set(page, { ...open, isRead: false });
  }

  async #readOn(page: CalendarPage, from: number): Promise<OpenPage> {
    const { items, next, isEnd } = await this.calendar.read(page, from);
    for (const noted of items) {
      const { key, item } = this.recall(noted);
      // What an event has put there since, or stood on the page before, leads to the same.
      if (this.agenda.get(key) !== undefined) continue;
      const dueAt = millisecondsNotBefore(noted.dueAt);
      this.agenda.add({ key, item, dueAt, origin: { kind: 'page', page } });
    }
    return { next, isRead: isEnd };
  }
}
