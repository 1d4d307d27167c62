import type { Clock } from '../kernel/timestamp.js';
import { EventStoreUnavailable } from './port.js';

/** How long a failed write counts, in milliseconds: a node that gets no writes could not clear it. */
const FAULT_COUNTS_MS = 30_000;

/** A store as operators know it: the setting that says where it is. */
export type StoreName = 'EVENT_STORE' | 'KEY_STORE' | 'TASK_STORE';

/**
 * Remembers whether the last write of a store failed, and says in the fault which store it was. One that
 * can be read but not written (a full disk) looks well to whoever only reads.
 */
export class WriteWatch {
  #failedAt: number | undefined;
  #failures = 0;

  constructor(
    private readonly store: StoreName,
    private readonly clock: Clock,
  ) {}

  /** False for a while after a write failed, unless one that began later succeeded. */
  get canWrite(): boolean {
    return this.#failedAt === undefined || this.clock() - this.#failedAt >= FAULT_COUNTS_MS;
  }

  /**
   * Writes, and remembers how it ended.
   * @param isWritten asked of a failed one: whether it is in the store all the same, and only what was to
   * follow has failed
   */
  async over<T>(write: () => Promise<T>, isWritten?: () => Promise<boolean>): Promise<T> {
    const failures = this.#failures;
    try {
      const result = await write();
      if (failures === this.#failures) this.#failedAt = undefined;
      return result;
    } catch (error) {
      const isTaken = (await isWritten?.().catch(() => false)) ?? false;
      if (!isTaken) {
        this.#failedAt = this.clock();
        this.#failures++;
      }
      throw this.#named(error);
    }
  }

  #named(error: unknown): unknown {
    if (!(error instanceof EventStoreUnavailable)) return error;
    const message = `${this.store}: ${error.message}`;
    return new EventStoreUnavailable(message, { cause: error.cause ?? error });
  }
}
