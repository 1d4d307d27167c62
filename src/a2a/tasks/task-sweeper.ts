import type { DeletableEventStore, Position } from '../../event-store/port.js';
import type { Uuid } from '../../kernel/ids.js';
import { millisecondsOf, type Clock } from '../../kernel/timestamp.js';
import { letOthersRun } from '../../threads/let-others-run.js';
import type { TaskDirectory } from './directory/task-directory.js';
import { PAGE_TOKEN_LIFE_MS } from './directory/task-list.js';
import { taskStream, webhookStream } from './domain/streams.js';
import { hasEnded } from './domain/task-fold.js';
import type { TaskStreams } from './task-streams.js';
import type { WebhookProgressStreams } from './webhooks/webhook-progress-streams.js';

export interface TaskSweeperOptions {
  readonly store: DeletableEventStore;
  readonly streams: TaskStreams;
  readonly progress: WebhookProgressStreams;
  readonly directory: TaskDirectory;
  readonly clock: Clock;
  /** Tasks are deleted so long after they ended, in milliseconds. */
  readonly retentionMs: number;
}

/** Tasks in one transaction: a few milliseconds of work, after which others get their turn. */
const BATCH = 50;
const SUPERSEDED_BATCH = 2_000;
/** Rows outlive the page tokens that need them by the leeway of two nodes' clocks. */
const SUPERSEDED_MS = PAGE_TOKEN_LIFE_MS + 5 * 60_000;

/**
 * Deletes tasks for good once their retention is over: their streams, the progress of their
 * webhooks, and this node's rows. Every node may do it at any time: a stream is deleted only as it
 * was judged, and what is gone already is only dropped from the rows. A message that is sent again
 * afterwards starts a new task, unless its call is on record.
 */
export class TaskSweeper {
  constructor(private readonly options: TaskSweeperOptions) {}

  /** Goes on until nothing is left to delete. */
  async sweep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.#sweepTasks()) > 0);
    while (!signal.aborted && this.#sweepRows() === SUPERSEDED_BATCH) await letOthersRun();
    // Also without news: an earlier call may not have got the bytes out of the log.
    await this.options.store.deleteStreams(new Map());
  }

  /** @returns how many tasks are gone. */
  async #sweepTasks(): Promise<number> {
    const { store, streams, directory, clock, retentionMs } = this.options;
    const due = clock() - retentionMs;
    const gone: Uuid[] = [];
    const heads = new Map<string, Position>();
    const judged: Uuid[] = [];
    for (const id of directory.endedBy(due, BATCH)) {
      const placed = await streams.load(id);
      if (placed === undefined) gone.push(id);
      // Otherwise it has begun anew, which the rows will hear of.
      else if (hasEnded(placed.fold) && endedBy(placed.fold.endedAt, due)) {
        judged.push(id);
        heads.set(taskStream(id), placed.position);
      }
    }
    if (heads.size > 0) {
      const deleted = await store.deleteStreams(heads);
      for (const id of judged) {
        // Or by another node at this moment.
        const isGone = deleted.has(taskStream(id)) || (await streams.load(id)) === undefined;
        if (isGone) gone.push(id);
      }
    }
    await this.#sweepProgress(gone);
    for (const id of gone) streams.forget(id);
    if (gone.length > 0) directory.forget(gone);
    return gone.length;
  }

  /**
   * After the tasks, since nothing is told of a task that is gone, and before their rows: should the
   * process die in between, the rows bring the next one here again.
   */
  async #sweepProgress(gone: readonly Uuid[]): Promise<void> {
    const { store, progress } = this.options;
    const heads = new Map<string, Position>();
    for (const id of gone) {
      const head = await progress.head(id);
      if (head !== undefined) heads.set(webhookStream(id), head);
    }
    if (heads.size > 0) await store.deleteStreams(heads);
  }

  #sweepRows(): number {
    const { directory, clock } = this.options;
    return directory.forgetSuperseded(clock() - SUPERSEDED_MS, SUPERSEDED_BATCH);
  }
}

function endedBy(endedAt: Parameters<typeof millisecondsOf>[0] | null, due: number): boolean {
  return endedAt !== null && millisecondsOf(endedAt) <= due;
}
