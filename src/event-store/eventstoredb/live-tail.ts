import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreUnavailable, START, type Position } from '../port.js';
import { cutShort } from '../following.js';
import type { LogReader } from './log-reader.js';
import type { Pull } from './pull.js';
import { StoredEvent } from './stored-event.js';

/**
 * Events that are kept, and characters of their sealed texts. A reader that is further behind reads
 * from the server by itself.
 */
const KEPT_EVENTS = 512;
const KEPT_CHARACTERS = 4 * 1024 * 1024;

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 2_000;

/**
 * The newest events of the log, followed by one subscription for all readers of this process. The
 * client does not take up a subscription again that was lost; this does, where it was.
 *
 * It never waits for a reader: what is kept is bounded.
 */
export class LiveTail {
  #events: StoredEvent[] = [];
  #characters = 0;
  /** All events after `#begin` up to `#end` are in `#events`. */
  #begin = START;
  #end = START;
  #isFollowing = false;
  #waiters = new Set<() => void>();
  /** The log turned out to be shorter than what was read of it. */
  #broken: EventStoreUnavailable | undefined;

  constructor(
    private readonly reader: LogReader,
    /** Told of every fault that the subscription outlives. */
    private readonly onFault: (fault: unknown) => void,
    private readonly signal: AbortSignal,
    /** How often a subscription that says nothing is compared with the head of the log. */
    private readonly checkMs: number,
  ) {
    signal.addEventListener('abort', () => {
      this.#wakeAll();
    });
  }

  /** Begins to follow after a position that the log has reached, unless it follows already. */
  start(at: Position): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    this.#begin = this.#end = at;
    void this.#follow();
  }

  /**
   * What is known to come after a position; undefined when it lies further back than what is kept.
   * @throws {EventStoreUnavailable} when the log was cut short.
   */
  after(position: Position): { events: readonly StoredEvent[]; end: Position } | undefined {
    if (this.#broken !== undefined) throw this.#broken;
    if (!this.#isFollowing || position < this.#begin) return undefined;
    const first = this.#events.findLastIndex((event) => event.position <= position) + 1;
    return { events: this.#events.slice(first), end: this.#end };
  }

  /** Resolves once the log is known to go on after a position, or `signal` aborts. */
  async beyond(position: Position, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isOver()) {
      if (this.#isFollowing && this.#end > position) return;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiters.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#waiters.add(wake);
        signal.addEventListener('abort', wake);
      });
    }
  }

  async #follow(): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    while (!this.#isOver()) {
      let pull: Pull | undefined;
      try {
        await this.#compareWithHead();
        pull = this.reader.openSubscription(this.#end);
        for (let isLate = false; ;) {
          const item = await pull.next(this.checkMs, this.signal);
          if (item.kind === 'end') break;
          if (item.kind === 'event') {
            this.#add(new StoredEvent(item.event, this.reader.namespace));
            pause = FIRST_PAUSE_MS;
            isLate = false;
          } else if (item.kind === 'quiet') {
            const isBehind = await this.#compareWithHead();
            if (isBehind && isLate) throw new EventStoreUnavailable('a subscription fell silent');
            isLate = isBehind;
          }
        }
      } catch (fault) {
        if (!this.#isOver()) this.onFault(fault);
      } finally {
        pull?.stop();
      }
      await delay(pause, undefined, { signal: this.signal }).catch(() => undefined);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  #isOver(): boolean {
    return this.signal.aborted || this.#broken !== undefined;
  }

  /** Whether the log goes on after what is known. */
  async #compareWithHead(): Promise<boolean> {
    const end = this.#end;
    const head = await this.reader.headNotBefore(end, this.signal);
    if (head < end && !this.signal.aborted) {
      this.#broken = cutShort(head, end);
      this.#wakeAll();
      throw this.#broken;
    }
    return head > end;
  }

  #add(event: StoredEvent): void {
    if (event.position <= this.#end) return;
    this.#events.push(event);
    this.#characters += event.characters;
    this.#end = event.position;
    this.#dropOldest();
    this.#wakeAll();
  }

  #dropOldest(): void {
    if (this.#events.length <= 2 * KEPT_EVENTS && this.#characters <= KEPT_CHARACTERS) return;
    let count = 0;
    while (this.#events.length - count > KEPT_EVENTS || this.#characters > KEPT_CHARACTERS / 2) {
      const event = this.#events[count];
      if (event === undefined) break;
      count++;
      this.#characters -= event.characters;
      this.#begin = event.position;
    }
    this.#events.splice(0, count);
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiters]) wake();
  }
}
