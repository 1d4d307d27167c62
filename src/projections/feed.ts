import { isOneCommand } from '../event-store/is-one-command.js';
import {
  START,
  type EventStore,
  type Position,
  type RecordedEnvelope,
} from '../event-store/port.js';
import type { Clock } from '../kernel/timestamp.js';
import { letOthersRun } from '../threads/let-others-run.js';
import { applyBatch, type NewFailure } from './apply-batch.js';
import * as bookkeeping from './bookkeeping.js';
import { streamsOf, type Decoder } from './decoding.js';
import type { ReadDatabase } from './read-database.js';
import { nameLog } from './take-up.js';
import type { TrackedProjection } from './tracked-projection.js';

export interface FeedOptions {
  readonly store: EventStore;
  readonly engine: string;
  readonly database: ReadDatabase;
  readonly clock: Clock;
  readonly decoder: Decoder;
  readonly batchSize: number;
  /** Pause before the first retry of a failed event, in milliseconds. */
  readonly firstRetryMs: number;
  readonly onProgress: () => void;
  /** Something was applied that is not committed yet, of views that are rebuilt alone or also of others. */
  readonly onUncommitted: (isRebuild: boolean) => void;
  readonly onFailures: (failures: readonly NewFailure[]) => void;
}

/** How old a batch may grow while events keep coming, in milliseconds. */
const BATCH_AGE_MS = 20;

/**
 * The log's way into the views. The foremost projections follow it by one subscription; those
 * behind catch up on their own and join them at the seam. What one command has recorded reaches the views
 * together, so that nobody reads a half of it.
 */
export class Feed {
  /** Those fed by the subscription. */
  readonly #followers: Set<TrackedProjection>;
  readonly #behind: readonly TrackedProjection[];
  /** How far the subscription has been applied. */
  #followed: Position;
  #logNamed = false;

  constructor(
    private readonly options: FeedOptions,
    private readonly tracked: readonly TrackedProjection[],
  ) {
    const positions = tracked.map(({ position }) => position);
    this.#followed = positions.reduce((a, b) => (a > b ? a : b), START);
    this.#followers = new Set(tracked.filter(({ position }) => position === this.#followed));
    this.#behind = tracked.filter((each) => !this.#followers.has(each));
  }

  /** Ends when the signal aborts, or the store's subscription ends. */
  async follow(signal: AbortSignal): Promise<void> {
    const { store, batchSize } = this.options;
    const filter = streamsOf(this.tracked.map(({ projection }) => projection));
    let batch: RecordedEnvelope[] = [];
    let oldest = 0;
    for await (const message of store.subscribeAll(this.#followed, { filter, signal })) {
      if (message.kind === 'event') {
        const { event } = message;
        const last = batch.at(-1);
        const full = batch.length >= batchSize;
        const isDue = full || performance.now() - oldest >= BATCH_AGE_MS;
        if (last !== undefined && isDue && !isOneCommand(last, event)) {
          await this.#advanceFollowers(batch, last.position);
          batch = [];
          if (full) await letOthersRun();
        }
        if (batch.length === 0) oldest = performance.now();
        batch.push(event);
      } else {
        await this.#advanceFollowers(batch, message.position);
        batch = [];
        this.#reachedHead(this.#followers, message.position);
      }
      if (signal.aborted) return;
    }
  }

  /** Brings those behind up to the followers; ends when they are among them. */
  async catchUp(signal: AbortSignal): Promise<void> {
    const behind = this.#behind;
    if (behind.length === 0) return;
    for (;;) {
      const head = await this.options.store.head();
      await this.#readOn(behind, head, signal);
      if (signal.aborted) return;
      // From here to the end nothing is awaited: the subscription cannot get ahead in between.
      if (behind.every(({ position }) => position >= this.#followed)) {
        for (const each of behind) this.#followers.add(each);
        this.#reachedHead(behind, head);
        return;
      }
    }
  }

  /** Applies all there is, at least up to `head`. */
  async #readOn(
    behind: readonly TrackedProjection[],
    head: Position,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, batchSize } = this.options;
    const filter = streamsOf(behind.map(({ projection }) => projection));
    const after = behind.map(({ position }) => position).reduce((a, b) => (a < b ? a : b));
    let batch: RecordedEnvelope[] = [];
    for await (const event of store.readAll(after, filter)) {
      const last = batch.at(-1);
      if (last !== undefined && batch.length >= batchSize && !isOneCommand(last, event)) {
        await this.#apply(behind, behind, batch, last.position);
        batch = [];
        await letOthersRun();
        if (signal.aborted) return;
      }
      batch.push(event);
    }
    const end = batch.at(-1)?.position ?? START;
    await this.#apply(behind, behind, batch, end > head ? end : head);
  }

  async #advanceFollowers(batch: readonly RecordedEnvelope[], upTo: Position): Promise<void> {
    // Read for all: whoever joins the followers during this very await finds its events here too.
    await this.#apply(this.#followers, this.tracked, batch, upTo);
    this.#followed = upTo;
  }

  /**
   * @param readers for whom the batch is read.
   * @param upTo everything up to here that the readers follow is in the batch, or applied.
   */
  async #apply(
    projections: Iterable<TrackedProjection>,
    readers: readonly TrackedProjection[],
    batch: readonly RecordedEnvelope[],
    upTo: Position,
  ): Promise<void> {
    const { store, engine, database, decoder, clock, firstRetryMs } = this.options;
    const { onFailures, onProgress, onUncommitted } = this.options;
    if (batch.length > 0) {
      if (!this.#logNamed) await nameLog(store, engine, database);
      this.#logNamed = true;
      const deliveries = await decoder.decode(
        batch,
        readers.map(({ projection }) => projection),
      );
      const retryAt = clock() + firstRetryMs;
      const fed = [...projections];
      const failures = applyBatch(database, fed, deliveries, upTo, retryAt);
      onUncommitted(fed.every(({ complete }) => !complete));
      if (failures.length > 0) onFailures(failures);
    } else {
      for (const tracked of projections) {
        if (tracked.position < upTo) tracked.position = upTo;
      }
    }
    onProgress();
  }

  #reachedHead(projections: Iterable<TrackedProjection>, head: Position): void {
    const there = [...projections].filter(({ position }) => position >= head);
    const completed = there.filter(({ complete }) => !complete);
    for (const tracked of completed) tracked.complete = true;
    if (completed.length > 0) storePositions(this.options.database, completed);
    for (const tracked of there) tracked.caughtUp = true;
    this.options.onProgress();
  }
}

/** Writes down how far the projections are, beyond the last of their own events. */
export function storePositions(
  database: ReadDatabase,
  projections: Iterable<TrackedProjection>,
): void {
  database.transaction((db) => {
    for (const tracked of projections) {
      bookkeeping.putCheckpoint(db, tracked.name, tracked.checkpoint(tracked.position));
    }
  });
}
