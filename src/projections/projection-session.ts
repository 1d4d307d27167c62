import type { Reporter } from '../kernel/reporter.js';
import { BatchesUndone, type NewFailure } from './apply-batch.js';
import { Feed, storePositions, type FeedOptions } from './feed.js';
import type { LateCommit } from './late-commit.js';
import type { ParkedStreams } from './parked-streams.js';
import { isDatabaseFault } from './read-database.js';
import type { TrackedProjection } from './tracked-projection.js';
import type { WaitingReaders } from './waiting-readers.js';

export interface ProjectionSessionOptions extends Omit<
  FeedOptions,
  'onUncommitted' | 'onFailures'
> {
  readonly commit: LateCommit;
  readonly parked: ParkedStreams;
  readonly readers: WaitingReaders;
  readonly report: Reporter;
}

/** Failures of one batch that are reported one by one. */
const REPORTED_FAILURES = 10;

/**
 * One go at feeding the views and at trying again what was parked. Whatever fails outside of a handler
 * (the store, the keys, the read database) ends it.
 */
export class ProjectionSession {
  readonly #ending = new AbortController();

  constructor(private readonly options: ProjectionSessionOptions) {}

  /** @param fault of the read database, found by somebody else: `run` throws it */
  end(fault?: unknown): void {
    this.#ending.abort(fault);
  }

  /**
   * Stores how far the views came once it was told to end.
   * @param views as they were just taken up
   */
  async run(views: readonly TrackedProjection[]): Promise<void> {
    const { signal } = this.#ending;
    const feed = new Feed(
      {
        ...this.options,
        onUncommitted: (isRebuild) => {
          this.options.commit.soon(isRebuild);
        },
        onFailures: (failures) => {
          this.#failed(failures);
        },
      },
      views,
    );
    await this.#together([this.#follow(feed), feed.catchUp(signal), this.#retry()]);
    if (isDatabaseFault(signal.reason)) throw signal.reason;
    storePositions(this.options.database, views);
  }

  async #follow(feed: Feed): Promise<void> {
    const { signal } = this.#ending;
    await feed.follow(signal);
    if (!signal.aborted) throw new Error('the event store has ended the subscription');
  }

  async #retry(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.options.parked.nextRetry(signal);
      this.options.readers.notify();
    }
  }

  #failed(failures: readonly NewFailure[]): void {
    const { report, parked } = this.options;
    for (const { projection, place, error } of failures.slice(0, REPORTED_FAILURES)) {
      const { position, stream, revision, type } = place;
      const about = { projection, position, stream, revision, type, error };
      report('an event could not be applied', about);
    }
    const others = failures.length - REPORTED_FAILURES;
    if (others > 0) report('more events could not be applied', { others });
    parked.refresh();
  }

  /** All end when one fails. */
  async #together(tasks: readonly Promise<void>[]): Promise<void> {
    const ended = tasks.map(async (task) => {
      try {
        await task;
      } catch (error) {
        this.end();
        throw error;
      }
    });
    const failed = (await Promise.allSettled(ended)).filter((each) => each.status === 'rejected');
    // What was undone with it, the others may have met as a fault of the database.
    const [first] = failed;
    const cause = failed.find(({ reason }) => reason instanceof BatchesUndone) ?? first;
    if (cause !== undefined) throw cause.reason;
  }
}
