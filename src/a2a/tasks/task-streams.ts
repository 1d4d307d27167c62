import { LRUCache } from 'lru-cache';
import type { NewEnvelope } from '../../kernel/envelope.js';
import type { EventStore, Position } from '../../event-store/port.js';
import { streamPages } from '../../event-store/stream-pages.js';
import { streamParts } from '../../event-store/stream-parts.js';
import type { Recorded } from '../../kernel/event.js';
import type { Uuid } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import { notBefore, timestampOf, type Clock, type Timestamp } from '../../kernel/timestamp.js';
import type { NewId } from './domain/decide.js';
import type { StoredTaskEvent } from './domain/events.js';
import { evolveTask, type TaskFoldState } from './domain/evolve.js';
import { taskStream } from './domain/streams.js';
import type { TaskFold } from './domain/task-fold.js';
import { TASK_EVENT_TYPES } from './event-types.js';
import { actorOf, taskEnvelope } from './envelopes.js';
import {
  decodeTaskEvent,
  decodeTaskEvents,
  foldedStream,
  type Condition,
  type PlacedEvent,
  type PlacedFold,
} from './folded-stream.js';
import { PastFolds } from './past-folds.js';

/** Those of the turns under way, mostly: more would only be copied again and again by the collector. */
const KEPT_TASKS = 500;
/** Characters of all kept folds together, and of one. */
const KEPT_WEIGHT = 64 * 1024 * 1024;
const KEPT_WEIGHT_OF_ONE = 16 * 1024 * 1024;
const WEIGHT_OF_EMPTY = 2048;

/**
 * The streams of tasks, folded. Folds are kept, so that a write costs one append and a read one look
 * at the stream's last event. That look includes an event that is known already: a stream may have
 * been deleted and begun anew, and only positions tell the two apart.
 */
export class TaskStreams {
  readonly #kept = new LRUCache<Uuid, PlacedFold>({
    max: KEPT_TASKS,
    maxSize: KEPT_WEIGHT,
    maxEntrySize: KEPT_WEIGHT_OF_ONE,
    sizeCalculation: ({ fold }) => fold.weight + WEIGHT_OF_EMPTY,
  });

  readonly #past = new PastFolds();

  /** @param onAppend told of every append of this process. */
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly newId: NewId,
    private readonly onAppend: (id: Uuid) => void,
  ) {}

  /** What this process knows of the task without a look at the store: others may have moved on. */
  known(id: Uuid): TaskFold | undefined {
    return this.#kept.get(id)?.fold;
  }

  /** The task at its head. */
  async load(id: Uuid): Promise<PlacedFold | undefined> {
    const placed = await foldedStream(this.store, taskStream(id), this.#kept.get(id));
    if (placed !== undefined) return this.#keep(id, placed);
    this.forget(id);
    return undefined;
  }

  /** The task as it was: folded over the leading events that satisfy a condition. Not kept. */
  async loadWhile(id: Uuid, condition: Condition): Promise<TaskFold | undefined> {
    return (await this.#placedWhile(id, condition))?.fold;
  }

  /**
   * The task as it was after one of its events; undefined when the stream was deleted since. Many who
   * watch it ask for the same one, and get one.
   */
  async asOf(id: Uuid, position: Position): Promise<TaskFold | undefined> {
    return await this.#past.at(id, position, async () => {
      const past = await this.#placedWhile(id, (event) => event.position <= position);
      return past?.position === position ? past.fold : undefined;
    });
  }

  /** The task's events from a revision on, page by page. */
  async *pages(
    id: Uuid,
    from: number,
  ): AsyncGenerator<readonly Recorded<StoredTaskEvent>[], undefined> {
    for await (const page of streamPages(this.store, taskStream(id), from)) {
      yield decodeTaskEvents(page);
    }
  }

  /**
   * The same, for whoever takes long over each: what is held meanwhile is little, however large those
   * after it are.
   */
  async *parts(id: Uuid, from: number): AsyncGenerator<readonly PlacedEvent[], undefined> {
    for await (const part of streamParts(this.store, taskStream(id), from)) {
      yield part.map((envelope) => ({
        event: decodeTaskEvent(envelope),
        position: envelope.position,
      }));
    }
  }

  /**
   * Appends at exactly the fold that the events were decided on (undefined: no such task).
   * @returns the task with them; undefined after a lost race.
   */
  async append(
    id: Uuid,
    on: TaskFold | undefined,
    events: readonly StoredTaskEvent[],
  ): Promise<TaskFold | undefined> {
    const recordedAt = notBefore(timestampOf(this.clock()), on?.recordedAt);
    const first = (on?.revision ?? -1) + 1;
    const recorded = events.map((event, index) => ({
      recordedAt,
      revision: first + index,
      ...event,
    }));
    const fold = recorded.reduce<TaskFoldState>(evolveTask, on ?? null);
    if (fold === null) throw new TypeError('an append has at least one event');
    const envelopes = this.#envelopes(id, fold, events, recordedAt);
    const appended = await this.store.append(
      taskStream(id),
      on?.revision ?? 'no-stream',
      envelopes,
    );
    if (!appended.ok) return undefined;
    this.#keep(id, { fold, position: appended.value.position });
    this.onAppend(id);
    return fold;
  }

  /** Its stream was deleted. */
  forget(id: Uuid): void {
    this.#kept.delete(id);
    this.#past.forget(id);
  }

  #envelopes(
    id: Uuid,
    { owner, messages }: TaskFold,
    events: readonly StoredTaskEvent[],
    recordedAt: Timestamp,
  ): NewEnvelope[] {
    const context = {
      commandId: this.newId(),
      // Of the message that the turn is about.
      requestDigest: [...messages.values()].at(-1) ?? '',
      actor: actorOf(owner),
      correlationId: id,
      recordedAt,
    };
    return events.map(({ type, data }) =>
      taskEnvelope(
        this.newId(),
        { type, schemaVersion: TASK_EVENT_TYPES[type].schemaVersion, data: data as JsonObject },
        context,
      ),
    );
  }

  async #placedWhile(id: Uuid, condition: Condition): Promise<PlacedFold | undefined> {
    const kept = this.#kept.get(id);
    const isBefore =
      kept !== undefined && condition({ revision: kept.fold.revision, position: kept.position });
    const known = isBefore ? kept : undefined;
    return await foldedStream(this.store, taskStream(id), known, condition);
  }

  /** A slower reader must not put an older fold back. */
  #keep(id: Uuid, placed: PlacedFold): PlacedFold {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.position < placed.position) this.#kept.set(id, placed);
    return placed;
  }
}
