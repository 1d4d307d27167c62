import { LRUCache } from 'lru-cache';
import { decodeEvent } from '../../event-store/codec.js';
import type { NewEnvelope } from '../../kernel/envelope.js';
import type { EventStore, Position, RecordedEnvelope } from '../../event-store/port.js';
import type { Recorded } from '../../kernel/event.js';
import type { Uuid } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import { latest, timestampOf, type Clock, type Timestamp } from '../../kernel/timestamp.js';
import type { NewId } from './domain/decide.js';
import type { StoredTaskEvent } from './domain/events.js';
import { evolveTask, type TaskFoldState } from './domain/evolve.js';
import { taskStream } from './domain/streams.js';
import type { TaskFold } from './domain/task-fold.js';
import { TASK_EVENT_TYPES } from './event-types.js';
import { actorOf, taskEnvelope } from './envelopes.js';

/** A fold, and the position of its last event: no other event is ever given it. */
export interface PlacedFold {
  readonly fold: TaskFold;
  readonly position: Position;
}

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
    const kept = this.#kept.get(id);
    const tail = await this.store.readStream(taskStream(id), kept?.fold.revision ?? 0);
    if (kept !== undefined && tail[0]?.position === kept.position) {
      return this.#keep(id, foldOver(kept, tail.slice(1)));
    }
    const whole = kept === undefined ? tail : await this.store.readStream(taskStream(id));
    const placed = foldOver(undefined, whole);
    if (placed !== undefined) return this.#keep(id, placed);
    this.#kept.delete(id);
    return undefined;
  }

  /** The task as it was: folded over the leading events that satisfy a condition. Not kept. */
  async loadWhile(
    id: Uuid,
    condition: (event: Pick<RecordedEnvelope, 'revision' | 'position'>) => boolean,
  ): Promise<TaskFold | undefined> {
    const kept = this.#kept.get(id);
    const whole = await this.store.readStream(taskStream(id));
    const end = whole.findIndex((envelope) => !condition(envelope));
    const wanted = end === -1 ? whole : whole.slice(0, end);
    if (kept !== undefined && wanted.at(-1)?.position === kept.position) return kept.fold;
    return foldOver(undefined, wanted)?.fold;
  }

  /** The task's events from a revision on. */
  async read(id: Uuid, from: number): Promise<Recorded<StoredTaskEvent>[]> {
    return decodeAll(await this.store.readStream(taskStream(id), from));
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
    const recordedAt = this.#now(on?.recordedAt);
    const first = (on?.revision ?? -1) + 1;
    const recorded = events.map((event, index) => ({
      ...event,
      recordedAt,
      revision: first + index,
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

  #now(previous: Timestamp | undefined): Timestamp {
    const now = timestampOf(this.clock());
    return previous === undefined ? now : latest(now, previous);
  }

  /** A slower reader must not put an older fold back. */
  #keep(id: Uuid, placed: PlacedFold): PlacedFold {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.position < placed.position) this.#kept.set(id, placed);
    return placed;
  }
}

/** Nothing in the task store is sealed. */
function decodeAll(envelopes: readonly RecordedEnvelope[]): Recorded<StoredTaskEvent>[] {
  return envelopes.map((envelope) =>
    decodeEvent<StoredTaskEvent>(envelope, TASK_EVENT_TYPES, undefined),
  );
}

function foldOver(on: PlacedFold, envelopes: readonly RecordedEnvelope[]): PlacedFold;
function foldOver(
  on: PlacedFold | undefined,
  envelopes: readonly RecordedEnvelope[],
): PlacedFold | undefined;
function foldOver(
  on: PlacedFold | undefined,
  envelopes: readonly RecordedEnvelope[],
): PlacedFold | undefined {
  const last = envelopes.at(-1);
  if (last === undefined) return on;
  const events = decodeAll(envelopes);
  const fold = events.reduce<TaskFoldState>(evolveTask, on?.fold ?? null);
  return fold === null ? undefined : { fold, position: last.position };
}
