import type { Position } from '../event-store/port.js';
import type { CalendarPage } from './calendar-events.js';

/** Something to be done at a moment, because of an event. */
export interface Entry<Item> {
  readonly key: string;
  readonly item: Item;
  /** Milliseconds since the epoch, inclusive. */
  readonly dueAt: number;
  /** Not before then: later than `dueAt` when it was put off. */
  readonly tryAt: number;
  /** Failed tries. */
  readonly attempts: number;
  readonly origin: Origin;
}

/** Where an entry came from: what has to hold it until it is done. */
export type Origin =
  /** Of the event, and a place in the log before it. */
  | { readonly kind: 'event'; readonly position: Position; readonly after: Position }
  | { readonly kind: 'page'; readonly page: CalendarPage };

/**
 * What a process has still to do, in memory: made anew from the log, and from the calendar, at every
 * start. Entries of events are added in log order; there is one per key.
 */
export class Agenda<Item> {
  /** Those of events in log order, so that the first of them is the oldest. */
  readonly #entries = new Map<string, Entry<Item>>();
  /** How many of them came from each page. */
  readonly #ofPages = new Map<CalendarPage, number>();
  #recalled = 0;
  /** A binary heap by `tryAt`; entries that were replaced or removed stay until they surface. */
  #heap: Entry<Item>[] = [];
  /** Where something stands that must not be passed. */
  #blockedAfter: Position | undefined;

  get size(): number {
    return this.#entries.size;
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
    return this.#entries.get(key)?.item;
  }

  /** Adds an entry for the newest event; an older one of its key is replaced. */
  add(entry: Omit<Entry<Item>, 'tryAt' | 'attempts'>): void {
    this.remove(entry.key);
    this.#count(entry, 1);
    this.#put({ tryAt: entry.dueAt, attempts: 0, ...entry });
  }

  /** Holds the low-water mark before an event that nobody here understands. */
  block(after: Position): void {
    this.#blockedAfter ??= after;
  }

  /** The same entry with more known about it: its place and its moment stay. */
  replace(key: string, item: Item): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#put({ ...entry, item });
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#count(entry, -1);
  }

  /** The entry is done with, unless it was replaced meanwhile. */
  finish(entry: Entry<Item>): void {
    if (this.#entries.get(entry.key) === entry) this.remove(entry.key);
  }

  /** Whatever came from events up to there is another node's, and done or noted by it. */
  forgetUpTo(position: Position): void {
    for (const { key, origin } of this.#entries.values()) {
      if (origin.kind !== 'event') continue;
      if (origin.position > position) return;
      this.remove(key);
    }
  }

  /** Whatever came from the page is another node's, and done by it. */
  forgetPage(page: CalendarPage): void {
    if (this.recalledFrom(page) === 0) return;
    for (const { key, origin } of this.#entries.values()) {
      if (origin.kind === 'page' && origin.page === page) this.remove(key);
    }
  }

  /** Those of events that become due at that moment or later, in log order. */
  *dueFrom(moment: number): Generator<Entry<Item>, undefined> {
    for (const entry of this.#entries.values()) {
      if (entry.origin.kind === 'event' && entry.dueAt >= moment) yield entry;
    }
  }

  /** The entry is tried again later, unless it was replaced or removed meanwhile. */
  putOff(entry: Entry<Item>, tryAt: number, attempts: number): void {
    if (this.#entries.get(entry.key) === entry) this.#put({ ...entry, tryAt, attempts });
  }

  /** The entry turns out to be due only then, unless it was replaced or removed meanwhile. */
  postpone(entry: Entry<Item>, dueAt: number): void {
    if (this.#entries.get(entry.key) !== entry) return;
    this.#put({ ...entry, dueAt, tryAt: dueAt, attempts: 0 });
  }

  /** Takes what is due, at most so many; each is to be finished or put off. */
  takeDue(now: number, limit: number): Entry<Item>[] {
    const due: Entry<Item>[] = [];
    while (due.length < limit) {
      const first = this.#first();
      if (first === undefined || first.tryAt > now) break;
      this.#pop();
      due.push(first);
    }
    return due;
  }

  /** When there is something to try next; undefined when nothing is left to do. */
  nextTryAt(): number | undefined {
    return this.#first()?.tryAt;
  }

  /** Since when the most overdue entry has been due; Infinity when nothing is left to do. */
  oldestDueAt(): number {
    let oldest = Infinity;
    for (const { dueAt } of this.#entries.values()) oldest = Math.min(oldest, dueAt);
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
    for (const { origin } of this.#entries.values()) {
      if (origin.kind === 'event') return origin.after;
    }
    return undefined;
  }

  #count({ origin }: Pick<Entry<Item>, 'origin'>, change: 1 | -1): void {
    if (origin.kind !== 'page') return;
    const { page } = origin;
    const count = this.recalledFrom(page) + change;
    if (count === 0) this.#ofPages.delete(page);
    else this.#ofPages.set(page, count);
    this.#recalled += change;
  }

  #put(entry: Entry<Item>): void {
    this.#entries.set(entry.key, entry);
    if (this.#heap.length > 2 * this.#entries.size + 1024) this.#compact();
    this.#push(entry);
  }

  #first(): Entry<Item> | undefined {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined || this.#entries.get(first.key) === first) return first;
      this.#pop();
    }
  }

  /** Drops what is no longer wanted; a sorted array is a heap. What is taken stays taken. */
  #compact(): void {
    const wanted = this.#heap.filter((entry) => this.#entries.get(entry.key) === entry);
    this.#heap = wanted.sort(byTryTime);
  }

  #push(entry: Entry<Item>): void {
    const heap = this.#heap;
    let child = heap.length;
    heap.push(entry);
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.tryAt <= entry.tryAt) break;
      heap[child] = above;
      child = parent;
    }
    heap[child] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      const right = heap[child + 1];
      let below = heap[child];
      if (below !== undefined && right !== undefined && right.tryAt < below.tryAt) {
        below = right;
        child++;
      }
      if (below === undefined || below.tryAt >= last.tryAt) break;
      heap[parent] = below;
      parent = child;
    }
    heap[parent] = last;
  }
}

function byTryTime(a: Entry<unknown>, b: Entry<unknown>): number {
  return a.tryAt - b.tryAt;
}
