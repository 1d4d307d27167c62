import { setTimeout as delay } from 'node:timers/promises';
import {
  BACKWARDS,
  END,
  FORWARDS,
  START as FROM_START,
  streamNameFilter,
  type EventStoreDBClient,
  type ReadStreamOptions,
} from '@eventstore/db-client';
import { START, type Position } from '../port.js';
import type { CallOptions } from './client.js';
import { isFault, isInvalidPosition } from './faults.js';
import { HeadSearch, type Searched } from './head-search.js';
import { persist } from './patience.js';
import { toLogPosition } from './position.js';
import { noAnswer, Pull } from './pull.js';
import { StoredEvent } from './stored-event.js';

/** Objects that the client buffers per stream and direction: events may be large. */
const BUFFERED = { highWaterMark: 8 };
/** How long a leader may take for one, in milliseconds, while the others have elected another. */
const DEPOSED_MS = 2_000;
/** Events looked at by the server between two checkpoints of a filtered subscription. */
const SEARCH_WINDOW = 512;

/**
 * Reads of the engine. The log of this service is what stands in `$all` under stream names that begin
 * with the namespace: `$all` holds the engine's own events too, and those of others.
 */
export class LogReader {
  #searched: Searched = { end: START, head: START };

  constructor(
    private readonly client: EventStoreDBClient,
    private readonly options: CallOptions,
    readonly namespace: string,
    readonly patienceMs: number,
  ) {}

  nameOf(stream: string): string {
    return this.namespace + stream;
  }

  /** The events of a stream from a revision, at most so many; none for no stream. */
  async readStream(
    stream: string,
    from: number,
    limit = Infinity,
  ): Promise<readonly StoredEvent[]> {
    // Zero is no number of events that the engine could be asked for.
    if (limit === 0) return [];
    const fromRevision = from === 0 ? FROM_START : BigInt(from);
    const most = limit === Infinity ? {} : { maxCount: limit };
    return await this.#readStream(stream, { direction: FORWARDS, fromRevision, ...most });
  }

  /** The newest event of a stream; undefined for no stream. */
  async readLast(stream: string): Promise<StoredEvent | undefined> {
    const options = { direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const;
    const [last] = await this.#readStream(stream, options);
    return last;
  }

  async #readStream(stream: string, options: ReadStreamOptions): Promise<readonly StoredEvent[]> {
    return await persist(this.patienceMs, async () => {
      const pull = new Pull(
        this.client.readStream(this.nameOf(stream), { ...this.options, ...options }, BUFFERED),
      );
      try {
        const events: StoredEvent[] = [];
        for (;;) {
          const item = await pull.next(this.patienceMs);
          if (item.kind === 'event') events.push(new StoredEvent(item.event, this.namespace));
          if (item.kind === 'end') return events;
          if (item.kind === 'quiet') throw noAnswer(this.patienceMs);
        }
      } catch (error) {
        if (isFault(error, 'stream-not-found')) return [];
        throw error;
      } finally {
        pull.stop();
      }
    });
  }

  /**
   * Position of the log's newest event, `START` when there is none: searched backwards from the end of
   * `$all`, where nearly always the first event is one of ours, and never twice over events of others.
   */
  async head(): Promise<Position> {
    const { client, options, namespace, patienceMs } = this;
    const search = new HeadSearch(client, options, namespace, this.#searched);
    this.#searched = await persist(patienceMs, (patience) => search.goOn(patienceMs, patience));
    return this.#searched.head;
  }

  /**
   * The head, once it is not before a position that was read of the log; a smaller one when that stays
   * so. For a moment a leader that was deposed and has not heard of it may answer.
   */
  async headNotBefore(position: Position, signal?: AbortSignal): Promise<Position> {
    const deadline = performance.now() + DEPOSED_MS;
    for (;;) {
      const head = await this.head();
      if (head >= position || performance.now() >= deadline || signal?.aborted === true) {
        return head;
      }
      const options = signal === undefined ? {} : { signal };
      await delay(DEPOSED_MS / 20, undefined, options).catch(() => undefined);
    }
  }

  /** Whether the server reads on from a position: nothing that is no event's, now or once. */
  async canReadFrom(position: Position): Promise<boolean> {
    return await persist(this.patienceMs, async () => {
      const fromPosition = toLogPosition(position);
      const pull = new Pull(
        this.client.readAll(
          { ...this.options, direction: FORWARDS, fromPosition, maxCount: 1 },
          BUFFERED,
        ),
      );
      try {
        const { kind } = await pull.next(this.patienceMs);
        if (kind === 'quiet') throw noAnswer(this.patienceMs);
        return true;
      } catch (error) {
        if (isInvalidPosition(error)) return false;
        throw error;
      } finally {
        pull.stop();
      }
    });
  }

  /** All of `$all` from a position on, which itself comes too. Ends at the end of `$all`. */
  openRead(from: Position): Pull {
    return new Pull(
      this.client.readAll(
        { ...this.options, direction: FORWARDS, fromPosition: toLogPosition(from) },
        BUFFERED,
      ),
    );
  }

  /** What the server lets through after a position, then what comes; with checkpoints. */
  openSubscription(after: Position, prefixes: readonly string[] = ['']): Pull {
    const filter = streamNameFilter({
      prefixes: prefixes.map((prefix) => this.nameOf(prefix)),
      maxSearchWindow: SEARCH_WINDOW,
      checkpointInterval: 1,
      checkpointReached: (_, position) => {
        pull.noteCheckpoint(position);
      },
    });
    const pull: Pull = new Pull(
      this.client.subscribeToAll(
        { ...this.options, fromPosition: toLogPosition(after), filter },
        BUFFERED,
      ),
    );
    return pull;
  }
}
