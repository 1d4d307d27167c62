import type { Result } from '../../kernel/result.js';
import type { StoredTask, TaskChange, TaskChangeRefused } from '../tasks/domain/task.js';

type Recorded = Result<StoredTask, TaskChangeRefused>;

/** What may wait to be written before the handler has to. */
const MAX_WAITING = { changes: 256, weight: 1024 * 1024 };

/**
 * Makes what a handler says durable, in the order in which it was said, in as few appends as timing
 * allows: what is said within one turn of the event loop, or while an append is under way, goes
 * together. After a refusal nothing more is written.
 */
export class ChangeWriter {
  #waiting: TaskChange[] = [];
  #weight = 0;
  #tick: NodeJS.Immediate | undefined;
  #writing: Promise<void> | undefined;
  #last: Recorded | undefined;
  #fault: Error | undefined;

  /** @param onRefused told once, as soon as the task takes nothing more, or writing fails */
  constructor(
    private readonly record: (changes: readonly TaskChange[]) => Promise<Recorded>,
    private readonly onRefused: () => void,
  ) {}

  /** Resolves when there is room for more. */
  async add(change: TaskChange, weight: number): Promise<void> {
    this.#waiting.push(change);
    this.#weight += weight;
    if (this.#writing === undefined) this.#tick ??= setImmediate(() => void this.#write());
    const { changes, weight: maxWeight } = MAX_WAITING;
    while (!this.#isOver() && (this.#waiting.length >= changes || this.#weight >= maxWeight)) {
      await this.#write();
    }
  }

  /**
   * Writes what is left, the end among it.
   * @throws what a failed append threw
   */
  async finish(end: TaskChange): Promise<Recorded> {
    this.#waiting.push(end);
    while (this.#waiting.length > 0 && !this.#isOver()) await this.#write();
    await this.#writing;
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#last === undefined) throw new TypeError('nothing was written');
    return this.#last;
  }

  /**
   * Waits for the append under way, and writes nothing more.
   * @throws what a failed append threw
   */
  async abandon(): Promise<void> {
    clearImmediate(this.#tick);
    this.#waiting = [];
    await this.#writing;
    if (this.#fault !== undefined) throw this.#fault;
  }

  #isOver(): boolean {
    return this.#fault !== undefined || this.#last?.ok === false;
  }

  /** One append at a time; joins the one under way. */
  #write(): Promise<void> {
    clearImmediate(this.#tick);
    this.#tick = undefined;
    this.#writing ??= this.#append().finally(() => {
      this.#writing = undefined;
      if (this.#waiting.length > 0 && !this.#isOver()) {
        this.#tick ??= setImmediate(() => void this.#write());
      }
    });
    return this.#writing;
  }

  async #append(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#weight = 0;
    if (batch.length === 0 || this.#isOver()) return;
    try {
      this.#last = await this.record(batch);
    } catch (error) {
      this.#fault = error instanceof Error ? error : new Error(String(error));
    }
    if (this.#isOver()) this.onRefused();
  }
}
