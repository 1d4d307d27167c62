import type { Position } from '../event-store/port.js';
import type { CalendarPage } from './calendar-events.js';
import { DueHeap } from './due-heap.js';

/** Something to be done at a moment, because of an event. */
export interface DueItem<Item> {
  readonly key: string;
  readonly item: Item;
  /** Milliseconds since the epoch, inclusive. */
  readonly dueAt: number;
  /** Not before then: later than `dueAt` when it was put off. */
  readonly tryAt: number;
  /** Failed tries. */
  readonly attempts: number;
  readonly origin: DueItemOrigin;
}

/** Where a due item came from: what has to hold it until it is done. */
export type DueItemOrigin =
  /** Of the event, and a place in the log before it. */
  | { readonly kind: 'event'; readonly position: Position; readonly after: Position }
  | { readonly kind: 'page'; readonly page: CalendarPage };

/**
 * What a process has still to do, in memory: made anew from the log, and from the calendar, at every
 * start. Those of events are added in log order; there is one per key.
 */
export class Agenda<Item> {
  /** Those of events in log order, so that the first of them is the oldest. */
  readonly #undone = new Map<string, DueItem<Item>>();
  /** Those of them that were far when they were put there: what is near never gets far. */
  readonly #far = new Map<string, DueItem<Item>>();
  /** How many of them came from each page. */
  readonly #ofPages = new Map<CalendarPage, number>();
  #recalled = 0;
  /** Those that are replaced or removed stay there until they surface. */
  readonly #heap = new DueHeap<DueItem<Item>>();
  /** Where something stands that must not be passed. */
  #blockedAfter: Position | undefined;

  /** @param isFar whether what is due at a moment is to be found by {@link muchLater}, as of now */
  constructor(private readonly isFar: (dueAt: number) => boolean = () => false) {}

  get size(): number {
    return this.#undone.size;
  }

  /** How many came from the calendar. */
  get recalled(): number {
    return this.#recalled;
  }

  /** How many came from that page. */
  recalledFrom(page: CalendarPage): number {
    return this.#ofPages.get(page) ?? 0;
  }

  get(key: string): Item | undefined {
    return this.#undone.get(key)?.item;
  }

  /** Whether its last try has failed. */
  isFailing(key: string): boolean {
    return (this.#undone.get(key)?.attempts ?? 0) > 0;
  }

  /** Adds what the newest event asks for; an older one of its key is replaced. */
  add(due: Omit<DueItem<Item>, 'tryAt' | 'attempts'>): void {
    this.remove(due.key);
    this.#count(due, 1);
    this.#put({ tryAt: due.dueAt, attempts: 0, ...due });
  }

  /** Holds the low-water mark before an event that nobody here understands. */
  block(after: Position): void {
    this.#blockedAfter ??= after;
  }

  /** The same with more known about it: its place and its moment stay. */
  replace(key: string, item: Item): void {
    const due = this.#undone.get(key);
    if (due !== undefined) this.#put({ ...due, item });
  }

  remove(key: string): void {
    const due = this.#undone.get(key);
    if (due === undefined) return;
    this.#undone.delete(key);
    this.#far.delete(key);
    this.#count(due, -1);
  }

  /** It is done with, unless it was replaced meanwhile. */
  finish(due: DueItem<Item>): void {
    if (this.#isCurrent(due)) this.remove(due.key);
  }

  /** Whatever came from events up to there is another node's, and done or noted by it. */
  forgetUpTo(position: Position): void {
    for (const { key, origin } of this.#undone.values()) {
      if (origin.kind !== 'event') continue;
      if (origin.position > position) return;
      this.remove(key);
    }
  }

  /** Whatever came from the page is another node's, and done by it. */
  forgetPage(page: CalendarPage): void {
    if (this.recalledFrom(page) === 0) return;
    for (const { key, origin } of this.#undone.values()) {
      if (origin.kind === 'page' && origin.page === page) this.remove(key);
    }
  }

  /**
   * Those of events that become due much later, at that moment or after it: in the order in which that was
   * found, and without a look at the others, which may be many.
   */
  *muchLater(moment: number): Generator<DueItem<Item>, undefined> {
    for (const due of this.#far.values()) if (due.dueAt >= moment) yield due;
  }

  /**
   * It is tried again later, unless it was replaced or removed meanwhile.
   * @param attempts that have failed so far
   */
  putOff(due: DueItem<Item>, tryAt: number, attempts: number): void {
    if (this.#isCurrent(due)) this.#put({ ...due, tryAt, attempts });
  }

  /** It turns out to be due only then, unless it was replaced or removed meanwhile. */
  postpone(due: DueItem<Item>, dueAt: number): void {
    if (!this.#isCurrent(due)) return;
    this.#put({ ...due, dueAt, tryAt: dueAt, attempts: 0 });
  }

  /** Takes what is due, at most so many; each is to be finished or put off. */
  takeDue(now: number, limit: number): DueItem<Item>[] {
    const taken: DueItem<Item>[] = [];
    while (taken.length < limit) {
      const first = this.#first();
      if (first === undefined || first.tryAt > now) break;
      this.#heap.pop();
      taken.push(first);
    }
    return taken;
  }

  /** When there is something to try next; undefined when nothing is left to do. */
  nextTryAt(): number | undefined {
    return this.#first()?.tryAt;
  }

  /** Since when the most overdue has been due; Infinity when nothing is left to do. */
  oldestDueAt(): number {
    let oldest = Infinity;
    for (const { dueAt } of this.#undone.values()) oldest = Math.min(oldest, dueAt);
    return oldest;
  }

  /** The place in the log up to which everything is done; `seen` when nothing is left to do. */
  lowWater(seen: Position): Position {
    const undone = this.#oldestAfter() ?? seen;
    return this.#blockedAfter !== undefined && this.#blockedAfter < undone
      ? this.#blockedAfter
      : undone;
  }

  #oldestAfter(): Position | undefined {
    for (const { origin } of this.#undone.values()) {
      if (origin.kind === 'event') return origin.after;
    }
    return undefined;
  }

  #count({ origin }: Pick<DueItem<Item>, 'origin'>, change: 1 | -1): void {
    if (origin.kind !== 'page') return;
    const { page } = origin;
    const count = this.recalledFrom(page) + change;
    if (count === 0) this.#ofPages.delete(page);
    else this.#ofPages.set(page, count);
    this.#recalled += change;
  }

  #put(due: DueItem<Item>): void {
    this.#undone.set(due.key, due);
    if (due.origin.kind === 'event' && this.isFar(due.dueAt)) this.#far.set(due.key, due);
    else this.#far.delete(due.key);
    const heap = this.#heap;
    // What is taken stays taken.
    if (heap.size > 2 * this.#undone.size + 1024) heap.keep((each) => this.#isCurrent(each));
    heap.push(due);
  }

  #first(): DueItem<Item> | undefined {
    for (;;) {
      const { first } = this.#heap;
      if (first === undefined || this.#isCurrent(first)) return first;
      this.#heap.pop();
    }
  }

  /** Neither done nor replaced nor removed. */
  #isCurrent(due: DueItem<Item>): boolean {
    return this.#undone.get(due.key) === due;
  }
}
