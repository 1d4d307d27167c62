import type { Result } from '../kernel/result.js';
import type { Clock } from '../kernel/timestamp.js';
import type { NewEnvelope } from '../kernel/envelope.js';
import type {
  AppendConflict,
  Appended,
  Basis,
  EventFilter,
  EventStore,
  ExpectedRevision,
  Position,
  RecordedEnvelope,
  SubscriptionMessage,
} from './port.js';

/** How long a failed append counts, in milliseconds: a node that gets no writes could not clear it. */
const FAULT_COUNTS_MS = 30_000;

/**
 * An event store that remembers whether its last append failed. A log that can be read but not
 * written (a full disk) looks well to whoever only reads.
 */
export class WatchedEventStore implements EventStore {
  #failedAt: number | undefined;

  constructor(
    private readonly inner: EventStore,
    private readonly clock: Clock,
  ) {}

  /** False for a while after an append failed, unless a later one succeeded. */
  get canWrite(): boolean {
    return this.#failedAt === undefined || this.clock() - this.#failedAt >= FAULT_COUNTS_MS;
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEnvelope[],
    basis?: Basis,
  ): Promise<Result<Appended, AppendConflict>> {
    try {
      const result = await this.inner.append(stream, expected, events, basis);
      this.#failedAt = undefined;
      return result;
    } catch (error) {
      this.#failedAt = this.clock();
      throw error;
    }
  }

  readStream(stream: string, from?: number, limit?: number): Promise<readonly RecordedEnvelope[]> {
    return this.inner.readStream(stream, from, limit);
  }

  readLast(stream: string): Promise<RecordedEnvelope | undefined> {
    return this.inner.readLast(stream);
  }

  readAll(after: Position, filter?: EventFilter): AsyncIterable<RecordedEnvelope> {
    return this.inner.readAll(after, filter);
  }

  subscribeAll(
    after: Position,
    options?: { readonly filter?: EventFilter; readonly signal?: AbortSignal },
  ): AsyncIterable<SubscriptionMessage> {
    return this.inner.subscribeAll(after, options);
  }

  holds(position: Position): Promise<boolean> {
    return this.inner.holds(position);
  }

  head(): Promise<Position> {
    return this.inner.head();
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
