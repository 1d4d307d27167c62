import { EventStoreUnavailable, type EventFilter, type Position } from '../port.js';
import type { LogReader } from './log-reader.js';
import { Patience } from './patience.js';
import { toPosition } from './position.js';
import { noAnswer, type Pull } from './pull.js';
import { StoredEvent } from './stored-event.js';

/** A filtered subscription that says nothing for so long may be at its end, on an older server. */
const QUIET_MS = 1_000;

/**
 * The events of a filter in one part of the log, which lies behind the head: pulled, so that memory
 * stays flat, and taken up again where it was when the connection is lost.
 *
 * The server filters by stream names, through a subscription, since the client's reads of `$all` take
 * no filter. The part ends with its last event, or where nothing passes the filter any more: the server
 * says so when it has caught up (since version 23.10) or by a checkpoint; when it says neither, the
 * rest is read whole.
 */
export class LogScan {
  #cursor: Position;
  #pull: Pull | undefined;
  #isFiltered = true;
  readonly #patience: Patience;

  constructor(
    private readonly reader: LogReader,
    after: Position,
    /** The last position of the part: the head at some time. */
    private readonly end: Position,
    private readonly filter: EventFilter = {},
    private readonly signal?: AbortSignal,
  ) {
    this.#cursor = after;
    const { streamPrefixes, types } = filter;
    this.#patience = new Patience(reader.patienceMs);
    if (streamPrefixes?.length === 0 || types?.length === 0) this.#cursor = end;
  }

  /**
   * Undefined at the end, and once the signal has aborted.
   * @throws {EventStoreUnavailable}
   */
  async next(): Promise<StoredEvent | undefined> {
    while (this.#cursor < this.end && this.signal?.aborted !== true) {
      try {
        const event = await this.#step();
        this.#patience.renew();
        if (event?.matches(this.filter) === true) return event;
      } catch (fault) {
        this.stop();
        await this.#patience.after(fault, this.signal);
      }
    }
    this.stop();
    return undefined;
  }

  stop(): void {
    this.#pull?.stop();
    this.#pull = undefined;
  }

  /** Goes on by one item; an event of the part, or undefined. */
  async #step(): Promise<StoredEvent | undefined> {
    const { reader, end } = this;
    const isFiltered = this.#isFiltered;
    this.#pull ??= isFiltered
      ? reader.openSubscription(this.#cursor, this.filter.streamPrefixes)
      : reader.openRead(this.#cursor);
    const item = await this.#pull.next(isFiltered ? QUIET_MS : reader.patienceMs, this.signal);
    switch (item.kind) {
      case 'event': {
        const event = new StoredEvent(item.event, reader.namespace);
        // A read begins with the event at its position; others' events stand between ours.
        if (event.position <= this.#cursor) return undefined;
        this.#cursor = event.position;
        if (event.position > end || !item.event.streamId.startsWith(reader.namespace))
          return undefined;
        return event;
      }
      case 'checkpoint': {
        const position = toPosition(item.position);
        if (position > this.#cursor) this.#cursor = position;
        return undefined;
      }
      case 'caught-up':
        // A leader that was deposed and has not heard of it may not have all of the part.
        if ((await reader.headNotBefore(end, this.signal)) >= end) this.#cursor = end;
        else this.stop();
        return undefined;
      case 'quiet':
        if (!isFiltered) throw noAnswer(reader.patienceMs);
        this.stop();
        this.#isFiltered = false;
        return undefined;
      case 'end':
        if (this.signal?.aborted === true) return undefined;
        // What stood at the end was one of ours, and has not come.
        throw new EventStoreUnavailable(`the log ends before ${end}, where it ended a moment ago`);
    }
  }
}
