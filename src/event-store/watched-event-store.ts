import type { Result } from '../kernel/result.js';
import type { Clock } from '../kernel/timestamp.js';
import type { NewEnvelope } from '../kernel/envelope.js';
import type {
  AppendConflict,
  Appended,
  Basis,
  DeletableEventStore,
  EventFilter,
  EventStore,
  ExpectedRevision,
  Position,
  RecordedEnvelope,
  SubscriptionMessage,
} from './port.js';
import { WriteWatch, type StoreName } from './write-watch.js';

/** An event store that remembers whether its last append failed. */
export class WatchedEventStore implements EventStore {
  readonly #watch: WriteWatch;

  constructor(
    private readonly inner: EventStore,
    clock: Clock,
    name: StoreName = 'EVENT_STORE',
  ) {
    this.#watch = new WriteWatch(name, clock);
  }

  /** See {@link WriteWatch.canWrite}. */
  get canWrite(): boolean {
    return this.#watch.canWrite;
  }

  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEnvelope[],
    basis?: Basis,
  ): Promise<Result<Appended, AppendConflict>> {
    return this.#watch.over(() => this.inner.append(stream, expected, events, basis));
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

/** The store of tasks, watched likewise. That it forgets late is no failed write: it is asked again. */
export class WatchedTaskStore extends WatchedEventStore implements DeletableEventStore {
  constructor(
    private readonly tasks: DeletableEventStore,
    clock: Clock,
  ) {
    super(tasks, clock, 'TASK_STORE');
  }

  deleteStreams(heads: ReadonlyMap<string, Position>): Promise<ReadonlySet<string>> {
    return this.tasks.deleteStreams(heads);
  }
}
