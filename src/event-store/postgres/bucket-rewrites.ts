import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreUnavailable } from '../port.js';
import { Rounds } from '../rounds.js';
import { Batches } from './batches.js';
import type { Connections } from './connections.js';
import { isLockTimeout } from './faults.js';
import type { Schema } from './schema.js';

/** Between two tries to write a bucket anew. */
const PAUSE_MS = 50;
/** Between two looks at what others, or a process that was killed, left to be written anew. */
const ROUND_MS = 5_000;

/**
 * Removes the old bytes of destroyed keys, by writing their buckets anew: see the schema, where it is
 * noted which buckets have some. Whoever destroys a key waits for its bucket. What could not be done
 * then, because somebody read on or the process was killed, any node does later, by itself.
 */
export class BucketRewrites {
  readonly #asked: Batches<string, EventStoreUnavailable | undefined>;
  readonly #rounds: Rounds;

  constructor(
    private readonly connections: Connections,
    private readonly schema: Schema,
    private readonly patienceMs: number,
  ) {
    this.#asked = new Batches({
      joins: () => () => true,
      run: async (buckets) => {
        const faults = await this.#rewriteAll(new Set(buckets));
        return buckets.map((bucket) => faults.get(bucket));
      },
    });
    this.#rounds = new Rounds(ROUND_MS, () => this.#rewriteDue());
  }

  /** @throws {EventStoreUnavailable} when somebody reads it for longer than the patience lasts. */
  async rewrite(bucket: string): Promise<void> {
    const fault = await this.#asked.submit(bucket);
    if (fault !== undefined) throw fault;
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await this.#rounds.close();
    await this.#asked.close();
  }

  /** @returns why those of them that are not could not be written anew. */
  async #rewriteAll(
    buckets: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, EventStoreUnavailable>> {
    const deadline = performance.now() + this.patienceMs;
    const faults = new Map<string, EventStoreUnavailable>();
    for (let left = [...buckets]; left.length > 0;) {
      for (const bucket of left) {
        const fault = await this.#tryToRewrite(bucket);
        if (fault === undefined) faults.delete(bucket);
        else faults.set(bucket, fault);
      }
      left = left.filter((bucket) => isLockTimeout(faults.get(bucket)));
      if (performance.now() >= deadline) break;
      if (left.length > 0) await delay(PAUSE_MS);
    }
    return faults;
  }

  async #tryToRewrite(bucket: string): Promise<EventStoreUnavailable | undefined> {
    try {
      await this.#rewrite(bucket);
      return undefined;
    } catch (error) {
      if (error instanceof EventStoreUnavailable) return error;
      throw error;
    }
  }

  /** One try each: nobody waits for them, and a reader is not to be held up again and again. */
  async #rewriteDue(): Promise<void> {
    const due = await this.connections.ask<readonly [bucket: string]>({
      text: `SELECT bucket::text FROM ${this.schema.quoted}.rewrites_due`,
    });
    for (const [bucket] of due) await this.#tryToRewrite(bucket);
  }

  async #rewrite(bucket: string): Promise<void> {
    await this.connections.ask({
      text: `SELECT ${this.schema.quoted}.rewrite($1::regclass)`,
      values: [bucket],
    });
  }
}
