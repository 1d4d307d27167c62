import { BACKWARDS, END, type EventStoreDBClient } from '@eventstore/db-client';
import { START, type Position } from '../port.js';
import type { CallOptions } from './client.js';
import { isInvalidPosition } from './faults.js';
import type { Patience } from './patience.js';
import { toLogPosition } from './position.js';
import { noAnswer, Pull } from './pull.js';
import { StoredEvent } from './stored-event.js';

/** Objects that the client buffers: events may be large. */
const BUFFERED = { highWaterMark: 8 };

/** An end of `$all` at some time, and where the log ended then. */
export interface Searched {
  readonly end: Position;
  readonly head: Position;
}

/**
 * One search for the log's newest event, backwards from the end of `$all`, where nearly always the first
 * event is one of ours. It never looks twice at events of others, not at those of an earlier search
 * either, and goes on where the connection was lost.
 */
export class HeadSearch {
  /** Where `$all` ended when it began, and the last event that it has looked at. */
  #end: Position | undefined;
  #last: Position | undefined;

  /** @param searched what an earlier search has found */
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly options: CallOptions,
    private readonly namespace: string,
    private searched: Searched,
  ) {}

  /**
   * Goes on from where it is; each event renews the patience.
   * @param patienceMs how long to wait for an event
   */
  async goOn(patienceMs: number, patience: Patience): Promise<Searched> {
    try {
      if (this.#last === undefined) {
        const found = await this.#among(1, patienceMs, patience);
        if (found !== undefined) return found;
      }
      const found = await this.#among(undefined, patienceMs, patience);
      return found ?? { end: this.#end ?? START, head: START };
    } catch (error) {
      // An older copy of the log was put back meanwhile: nothing is known of it.
      if (this.#last === undefined || !isInvalidPosition(error)) throw error;
      this.#end = this.#last = undefined;
      return await this.goOn(patienceMs, patience);
    }
  }

  /** Looks at so many more events; undefined when none of them tells. */
  async #among(
    count: number | undefined,
    patienceMs: number,
    patience: Patience,
  ): Promise<Searched | undefined> {
    const pull = new Pull(
      this.client.readAll(
        {
          ...this.options,
          direction: BACKWARDS,
          fromPosition: this.#last === undefined ? END : toLogPosition(this.#last),
          ...(count === undefined ? {} : { maxCount: count }),
        },
        BUFFERED,
      ),
    );
    try {
      for (;;) {
        const item = await pull.next(patienceMs);
        if (item.kind === 'end') return undefined;
        if (item.kind === 'quiet') throw noAnswer(patienceMs);
        if (item.kind !== 'event') continue;
        patience.renew();
        const { position } = new StoredEvent(item.event, this.namespace);
        const end = (this.#end ??= this.#began(position));
        this.#last = position;
        if (item.event.streamId.startsWith(this.namespace)) return { end, head: position };
        if (position <= this.searched.end) return { end, head: this.searched.head };
      }
    } finally {
      pull.stop();
    }
  }

  /** An older copy of the log may have been put back since the earlier search: nothing is known of it. */
  #began(end: Position): Position {
    if (end < this.searched.end) this.searched = { end: START, head: START };
    return end;
  }
}
