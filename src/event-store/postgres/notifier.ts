import type { Connections } from './connections.js';
import type { Schema } from './schema.js';

/**
 * Tells other nodes' readers of commits, soon and seldom: one notification for all commits of a short
 * while, in a transaction of its own, since one that notifies makes every other such transaction of
 * the whole server wait for its flush. It is a hint without contents; readers look for themselves,
 * and would have without it.
 */
export class Notifier {
  #isDue = false;
  #running: Promise<void> | undefined;

  constructor(
    private readonly connections: Connections,
    private readonly schema: Schema,
  ) {}

  noteCommit(): void {
    this.#isDue = true;
    this.#running ??= this.#run();
  }

  /** Once what was committed has been told. */
  async close(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      await this.connections
        .ask({ name: 'notify', text: "SELECT pg_notify($1, '')", values: [this.schema.name] })
        .catch(() => undefined);
    }
    this.#running = undefined;
  }
}
