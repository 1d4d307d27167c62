import type { ReadDatabase } from './read-database.js';

/**
 * Batches that come within this time share a commit, in milliseconds: most rows are changed again
 * soon after they were made, and every page that a commit finds changed is written.
 */
const COMMIT_AFTER_MS = 1000;
/** The same while views are rebuilt, which nobody reads before they are whole. */
const COMMIT_REBUILD_AFTER_MS = 5000;

/** Commits what was left for later. */
export class LateCommit {
  #waiting: NodeJS.Timeout | undefined;
  /** When it is over, on the monotonic clock. */
  #due = Number.POSITIVE_INFINITY;

  constructor(
    private readonly database: Pick<ReadDatabase, 'flush'>,
    /** A fault of the database: what was not committed is undone. */
    private readonly onFault: (fault: unknown) => void,
  ) {}

  /** To be called when something waits for it. */
  soon(isRebuild: boolean): void {
    const after = isRebuild ? COMMIT_REBUILD_AFTER_MS : COMMIT_AFTER_MS;
    const due = performance.now() + after;
    if (this.#due <= due) return;
    this.stop();
    this.#due = due;
    this.#waiting = setTimeout(() => {
      this.stop();
      try {
        this.database.flush();
      } catch (error) {
        this.onFault(error);
      }
    }, after);
  }

  stop(): void {
    clearTimeout(this.#waiting);
    this.#due = Number.POSITIVE_INFINITY;
  }
}
