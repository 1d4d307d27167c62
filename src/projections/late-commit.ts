import type { ReadDatabase } from './read-database.js';

/**
 * Batches that come within this time share a commit, in milliseconds: most rows are changed again
 * soon after they were made, and every page that a commit finds changed is written.
 */
const COMMIT_AFTER_MS = 1000;

/** Commits what was left for later. */
export class LateCommit {
  #waiting: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Pick<ReadDatabase, 'flush'>,
    /** A fault of the database: what was not committed is undone. */
    private readonly onFault: (fault: unknown) => void,
  ) {}

  /** To be called when something waits for it. */
  soon(): void {
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      try {
        this.database.flush();
      } catch (error) {
        this.onFault(error);
      }
    }, COMMIT_AFTER_MS);
  }

  stop(): void {
    clearTimeout(this.#waiting);
  }
}
