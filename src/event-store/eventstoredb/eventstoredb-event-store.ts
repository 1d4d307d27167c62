import { err, ok, type Result } from '../../kernel/result.js';
import type { NewEnvelope } from '../../kernel/envelope.js';
import {
  EventStoreUnavailable,
  START,
  type Appended,
  type AppendConflict,
  type Basis,
  type EventFilter,
  type EventStore,
  type ExpectedRevision,
  type Position,
  type RecordedEnvelope,
  type SubscriptionMessage,
} from '../port.js';
import { refuseUnusable } from '../append-arguments.js';
import { append } from './append.js';
import { openClient, type OpenedClient } from './client.js';
import { follow } from './follow.js';
import { LiveTail } from './live-tail.js';
import { LogReader } from './log-reader.js';
import { LogScan } from './log-scan.js';
import { PATIENCE_MS } from './patience.js';
import { isLogPosition, toLogPosition } from './position.js';
import { toEventData } from './stored-event.js';

const NAMESPACE = 'countersign/';
const CHECK_MS = 10_000;

export interface EventStoreDbOptions {
  /**
   * What every stream's name begins with in the engine (default `countersign/`): a cluster may be
   * shared with other services, and the server filters by it. Never empty, never begins with `$`.
   */
  readonly namespace?: string;
  /** Milliseconds that a call tries again while the server is away or elects a leader (5000). */
  readonly patienceMs?: number;
  /** Milliseconds after which a subscription that hears nothing looks at the head of the log (10000). */
  readonly checkMs?: number;
  /** Told of every fault that a subscription outlives, for the log of the operator. */
  readonly onFault?: (fault: unknown) => void;
}

/**
 * Opens the log in an EventStoreDB or KurrentDB server or cluster. Several processes may use one.
 *
 * @param connectionString see `readConnectionString`.
 * @throws {EventStoreUnavailable} when the string cannot be used or the server cannot be reached.
 */
export async function openEventStoreDb(
  connectionString: string,
  options: EventStoreDbOptions = {},
): Promise<EventStoreDbStore> {
  const store = new EventStoreDbStore(openClient(connectionString), options);
  try {
    await store.head();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The clustered engine: see the port for what it promises. Made by {@link openEventStoreDb}. */
export class EventStoreDbStore implements EventStore {
  readonly #reader: LogReader;
  readonly #tail: LiveTail;
  readonly #onFault: (fault: unknown) => void;
  readonly #appends = new Set<Promise<unknown>>();
  readonly #stops = new Set<AbortController>();
  readonly #end = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(
    private readonly opened: OpenedClient,
    options: EventStoreDbOptions,
  ) {
    const { namespace = NAMESPACE, patienceMs = PATIENCE_MS, onFault = () => undefined } = options;
    if (namespace === '' || namespace.startsWith('$')) {
      throw new TypeError(`not a namespace: ${namespace}`);
    }
    this.#onFault = onFault;
    this.#reader = new LogReader(opened.client, opened.options, namespace, patienceMs);
    this.#tail = new LiveTail(this.#reader, onFault, this.#end.signal, options.checkMs ?? CHECK_MS);
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEnvelope[],
    basis: Basis = {},
  ): Promise<Result<Appended, AppendConflict>> {
    this.#refuseClosed();
    refuseUnusable(stream, expected, events, basis);
    const appending = this.#append(stream, { expected, events: events.map(toEventData) }, basis);
    this.#appends.add(appending);
    try {
      return await appending;
    } finally {
      this.#appends.delete(appending);
    }
  }

  async readStream(
    stream: string,
    from = 0,
    limit = Infinity,
  ): Promise<readonly RecordedEnvelope[]> {
    this.#refuseClosed();
    const events = await this.#reader.readStream(stream, from, limit);
    return events.map(({ envelope }) => envelope);
  }

  async readLast(stream: string): Promise<RecordedEnvelope | undefined> {
    this.#refuseClosed();
    return (await this.#reader.readLast(stream))?.envelope;
  }

  /** Ends at what was the head when the reading began. */
  async *readAll(after: Position, filter?: EventFilter): AsyncGenerator<RecordedEnvelope> {
    this.#refuseClosed();
    toLogPosition(after);
    const head = await this.head();
    const scan = new LogScan(this.#reader, after, head, filter);
    try {
      for (;;) {
        this.#refuseClosed();
        const event = await scan.next();
        if (event === undefined) return;
        yield event.envelope;
      }
    } finally {
      scan.stop();
    }
  }

  /**
   * Outlives every fault of the engine. Ends with {@link EventStoreUnavailable} when the log ends
   * before `after` or holds a damaged event, which no waiting would mend.
   */
  subscribeAll(
    after: Position,
    options: { readonly filter?: EventFilter; readonly signal?: AbortSignal } = {},
  ): AsyncIterable<SubscriptionMessage> {
    toLogPosition(after);
    return { [Symbol.asyncIterator]: () => this.#subscribe(after, options) };
  }

  async head(): Promise<Position> {
    this.#refuseClosed();
    return await this.#reader.head();
  }

  async holds(position: Position): Promise<boolean> {
    if (position === START) return true;
    if (!isLogPosition(position) || position > (await this.head())) return false;
    return await this.#reader.canReadFrom(position);
  }

  /** Ends the subscriptions, answers the appends under way, then ends the connection. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #subscribe(
    after: Position,
    { filter = {}, signal }: { readonly filter?: EventFilter; readonly signal?: AbortSignal },
  ): AsyncIterator<SubscriptionMessage, undefined> {
    const stop = new AbortController();
    const abort = (): void => {
      stop.abort();
      signal?.removeEventListener('abort', abort);
      this.#stops.delete(stop);
    };
    if (this.#closing !== undefined || signal?.aborted === true) stop.abort();
    else {
      this.#stops.add(stop);
      signal?.addEventListener('abort', abort);
    }
    const messages = follow(
      {
        reader: this.#reader,
        tail: this.#tail,
        filter,
        onFault: this.#onFault,
        onEnd: abort,
      },
      after,
      stop.signal,
    );
    return {
      next: () => messages.next(),
      // A generator that waits would not hear of its return before the next event.
      return: () => {
        abort();
        return messages.return(undefined);
      },
    };
  }

  async #append(
    stream: string,
    request: { expected: ExpectedRevision; events: ReturnType<typeof toEventData>[] },
    basis: Basis,
  ): Promise<Result<Appended, AppendConflict>> {
    const { client, options } = this.opened;
    const name = this.#reader.nameOf(stream);
    // The engine's expected revision is of one stream. What moves from here on until the event is there, it
    // cannot tell; when these same events are there already, they are found below.
    if (!(await this.#stands(basis)) && (await this.#isAt(stream, request.expected))) {
      return err({ code: 'basis-moved' });
    }
    const answer = await append(client, options, { name, ...request }, this.#reader.patienceMs);
    if (!answer.ok) return answer;
    const { revision, position } = answer.value;
    if (position !== undefined) return ok({ revision, position });
    const [last] = await this.#reader.readStream(stream, revision, 1);
    if (last === undefined) throw new EventStoreUnavailable(`revision ${revision} is not there`);
    return ok({ revision, position: last.position });
  }

  async #stands(basis: Basis): Promise<boolean> {
    const heads = await Promise.all(
      Object.keys(basis).map((stream) => this.#reader.readLast(stream)),
    );
    return Object.values(basis).every(
      (revision, index) => heads[index]?.envelope.revision === revision,
    );
  }

  async #isAt(stream: string, expected: ExpectedRevision): Promise<boolean> {
    const last = await this.#reader.readLast(stream);
    return (last?.envelope.revision ?? 'no-stream') === expected;
  }

  async #close(): Promise<void> {
    for (const stop of [...this.#stops]) stop.abort();
    this.#end.abort();
    await Promise.allSettled([...this.#appends]);
    await this.opened.close();
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw new EventStoreUnavailable('the event store is closed');
  }
}
