import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { isAborted } from '../following.js';
import type { Connections } from './connections.js';
import { asFault } from './faults.js';
import type { Schema } from './schema.js';

/** Milliseconds between two wakings: each costs every reader a page. */
const REST_MS = 20;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const FAREWELL_MS = 1_000;

interface Waiter {
  readonly seen: number;
  readonly wake: () => void;
}

export interface HeadWatchOptions {
  /** Milliseconds between looks at the log's head when nobody tells of a commit. */
  readonly pollMs: number;
  readonly onFault: (fault: unknown) => void;
}

/**
 * Wakes readers that have reached the head: at once for commits of this process, on a notification
 * for those of others, and by a look every now and then for those whose notification was lost. The
 * looks go through the connection that listens, so a broken one is found by them and replaced.
 */
export class HeadWatch {
  readonly #waiters = new Set<Waiter>();
  readonly #closing = new AbortController();
  #head = -1;
  #lastWaking = -Infinity;
  #afterRest: NodeJS.Timeout | undefined;
  #listening: Promise<void> | undefined;
  /** Something was heard since the last look began. */
  #isNudged = false;
  #endPause: () => void = () => undefined;

  constructor(
    private readonly connections: Connections,
    private readonly schema: Schema,
    private readonly options: HeadWatchOptions,
  ) {}

  /** Resolves once the head may be another than `seen`, or the signal aborts. */
  async beyond(seen: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const waiter: Waiter = {
        seen,
        wake: () => {
          this.#waiters.delete(waiter);
          signal.removeEventListener('abort', waiter.wake);
          resolve();
        },
      };
      signal.addEventListener('abort', waiter.wake);
      this.#waiters.add(waiter);
      if (this.#head > seen) this.#wake();
      if (this.#listening === undefined) this.#listening = this.#listen();
      else if (this.#waiters.size === 1) this.#nudge();
    });
  }

  /** Of a commit of this process. */
  noteCommit(head: number): void {
    if (head <= this.#head) return;
    this.#head = head;
    this.#wake();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#afterRest);
    this.#nudge();
    await this.#listening;
  }

  /** Readers whom the head concerns, together for all commits of a short while. */
  #wake(): void {
    const rest = this.#lastWaking + REST_MS - performance.now();
    if (rest > 0) {
      this.#afterRest ??= setTimeout(() => {
        this.#afterRest = undefined;
        this.#wake();
      }, rest + 1);
      return;
    }
    // Also when it lies before what a reader has seen: that reader must learn that the log was cut.
    const concerned = [...this.#waiters].filter(({ seen }) => seen !== this.#head);
    if (concerned.length > 0) this.#lastWaking = performance.now();
    for (const waiter of concerned) waiter.wake();
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    let pause = FIRST_PAUSE_MS;
    while (!isAborted(signal)) {
      let client: pg.Client | undefined;
      try {
        const nudge = (): void => {
          this.#nudge();
        };
        client = await this.connections.dedicated(nudge);
        client.on('notification', nudge);
        await client.query(`LISTEN ${this.schema.quoted}`);
        while (!isAborted(signal)) {
          this.#isNudged = false;
          await this.#look(client);
          pause = FIRST_PAUSE_MS;
          await this.#pause();
        }
      } catch (fault) {
        if (!isAborted(signal)) this.options.onFault(asFault(fault));
      } finally {
        await end(client);
      }
      await delay(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  async #look(client: pg.Client): Promise<void> {
    const before = this.#head;
    const { rows } = await client.query<{ head: number }>(
      `SELECT ${this.schema.quoted}.newest() AS head`,
    );
    const head = rows[0]?.head ?? before;
    // What was committed here meanwhile may not have been seen by this look.
    const isOld = this.#head !== before && head < this.#head;
    if (isOld || head === this.#head) return;
    this.#head = head;
    this.#wake();
  }

  /** Until the next look is due, somebody tells of a commit, or the first waiter comes. */
  async #pause(): Promise<void> {
    if (this.#isNudged) {
      await delay(REST_MS);
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = this.#waiters.size > 0 ? setTimeout(resolve, this.options.pollMs) : undefined;
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #nudge(): void {
    this.#isNudged = true;
    this.#endPause();
  }
}

/** A server that does not answer is not waited for. */
async function end(client: pg.Client | undefined): Promise<void> {
  if (client === undefined) return;
  const late = new AbortController();
  const ended = client.end().catch(() => undefined);
  await Promise.race([
    ended,
    delay(FAREWELL_MS, undefined, { signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
}
