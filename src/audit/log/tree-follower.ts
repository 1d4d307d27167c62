import {
  EventStoreUnavailable,
  START,
  type EventStore,
  type Position,
  type RecordedEnvelope,
} from '../../event-store/port.js';
import { envelopeText } from '../../kernel/envelope.js';
import { leafHash, sameHash } from '../../kernel/merkle.js';
import type { Report } from '../../kernel/report.js';
import { errorSummary } from '../../projections/error-summary.js';
import { breathe, pause } from '../../projections/pause.js';
import { ReadDatabaseDamaged } from '../../projections/read-database.js';
import { AUDITED_STREAM_PREFIXES } from '../audited-streams.js';
import { LOG_STREAM } from './domain/events.js';
import type { LogTree } from './log-tree.js';
import type { TreeProgress } from './tree-progress.js';

export interface TreeFollowerOptions {
  readonly store: EventStore;
  readonly tree: LogTree;
  /** The newest leaf of the stored tree, undefined for an empty one. */
  readonly lastLeaf: () => Uint8Array | undefined;
  readonly report: Report;
  /** Told after every step. */
  readonly onProgress: (progress: TreeProgress) => void;
  /** Longest rest at the head of the log, in milliseconds; `wake` ends one. */
  readonly restMs?: number;
  /** Events in one transaction. */
  readonly batchSize?: number;
  /** First and longest pause after a fault, in milliseconds. */
  readonly backoffMs?: readonly [first: number, longest: number];
}

/** What the tree was made from is not what the log holds: to go on would mend nothing. */
class LogContradicted extends Error {
  override readonly name = 'LogContradicted';
}

/**
 * Lets the tree grow with the log: every audited event becomes a leaf, in log order, none is ever
 * left out, and none is decoded. A fault of the store or of the database ends a session; the next
 * one goes on exactly where the stored tree ends.
 *
 * It does not go on when the log is shorter than it was, or holds another event where the newest leaf
 * comes from: an older copy was put back. The tree can be made anew by deleting its file; signed
 * checkpoints stay binding.
 */
export class TreeFollower {
  readonly #options: Required<TreeFollowerOptions>;
  readonly #stopping = new AbortController();
  #rest = new AbortController();
  #progress: TreeProgress = { position: START, stalled: 'not started', isContradicted: false };

  constructor(options: TreeFollowerOptions) {
    this.#options = { restMs: 1_000, batchSize: 128, backoffMs: [100, 5_000], ...options };
  }

  /** Looks at the log now instead of after the rest. */
  wake(): void {
    this.#rest.abort();
  }

  stop(): void {
    this.#stopping.abort();
    this.wake();
  }

  /**
   * Follows until it is stopped.
   * @throws {ReadDatabaseDamaged} when the file is to be replaced
   */
  async run(): Promise<void> {
    const { tree, report, backoffMs } = this.#options;
    const { signal } = this.#stopping;
    let [backoff] = backoffMs;
    while (!signal.aborted) {
      const before = tree.state.position;
      try {
        tree.reopen();
        await this.#session(signal);
      } catch (error) {
        if (error instanceof ReadDatabaseDamaged) throw error;
        if (tree.state.position > before) [backoff] = backoffMs;
        const stalled = errorSummary(error);
        if (stalled !== this.#progress.stalled)
          report('the tree of the log stands still', { error });
        this.#tell({ stalled, isContradicted: error instanceof LogContradicted });
        await pause(backoff, signal);
        backoff = Math.min(backoff * 2, backoffMs[1]);
      }
    }
  }

  async #session(signal: AbortSignal): Promise<void> {
    const { store, tree, batchSize } = this.#options;
    await this.#requireSameLog();
    const streamPrefixes = [...AUDITED_STREAM_PREFIXES, LOG_STREAM];
    let batch: RecordedEnvelope[] = [];
    const { position } = tree.state;
    for await (const message of store.subscribeAll(position, {
      filter: { streamPrefixes },
      signal,
    })) {
      if (message.kind === 'event') {
        batch.push(message.event);
        if (batch.length < batchSize) continue;
      }
      if (batch.length > 0) {
        tree.take(batch);
        batch = [];
      }
      if (message.kind === 'caught-up') {
        this.#rest = new AbortController();
        this.#tell({ position: message.position, stalled: null, isContradicted: false });
        await pause(this.#options.restMs, this.#rest.signal);
      } else {
        this.#tell({ position: tree.state.position, stalled: null, isContradicted: false });
        await breathe();
      }
    }
  }

  /** @throws {LogContradicted} */
  async #requireSameLog(): Promise<void> {
    const { store, tree, lastLeaf } = this.#options;
    const { position, lastLeaf: place, size } = tree.state;
    const head = await store.head();
    if (head < position) {
      throw new LogContradicted(
        `the log ends at ${head}, before ${position}, up to where the tree was made from it`,
      );
    }
    if (place === null) return;
    const { stream, revision } = place;
    const [event] = await store.readStream(stream, revision);
    const leaf = lastLeaf();
    if (leaf === undefined) throw new EventStoreUnavailable('the newest leaf cannot be read');
    if (event === undefined || !sameHash(leafHash(envelopeText(event)), leaf)) {
      throw new LogContradicted(
        `the log holds another event where leaf ${String(size - 1)} of the tree was made from`,
      );
    }
  }

  #tell(step: Partial<TreeProgress>): void {
    const position: Position = step.position ?? this.#progress.position;
    this.#progress = { ...this.#progress, ...step, position };
    this.#options.onProgress(this.#progress);
  }
}
