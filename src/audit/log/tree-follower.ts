import {
  START,
  type EventStore,
  type Position,
  type RecordedEnvelope,
} from '../../event-store/port.js';
import type { Reporter } from '../../kernel/reporter.js';
import { errorSummary } from '../../projections/error-summary.js';
import { pause } from '../../projections/pause.js';
import { ReadDatabaseDamaged } from '../../projections/read-database.js';
import { letOthersRun } from '../../threads/let-others-run.js';
import { LinkedSignal } from '../../threads/linked-signal.js';
import { AUDITED_STREAM_PREFIXES } from '../audited-streams.js';
import type { CheckpointFile } from './checkpoint-file.js';
import { LOG_STREAM } from './domain/events.js';
import { LogContradicted } from './log-contradicted.js';
import type { LogTree } from './log-tree.js';
import { provenTree } from './proven-tree.js';
import { requireSameLog } from './same-log.js';
import { SignedPart } from './signed-part.js';
import type { TreeProgress } from './tree-progress.js';
import type { TreeView } from './tree-view.js';

export interface TreeFollowerOptions {
  readonly store: EventStore;
  readonly tree: LogTree;
  /** What is stored of the same tree. */
  readonly view: TreeView;
  /** The checkpoint that this node keeps outside of the log. */
  readonly kept: Pick<CheckpointFile, 'read'>;
  /** Of the checkpoints that count. */
  readonly origin: string;
  readonly report: Reporter;
  /** Told after every step. */
  readonly onProgress: (progress: TreeProgress) => void;
  /** Longest rest at the head of the log, in milliseconds; `wake` ends one. */
  readonly restMs?: number;
  /** Events in one transaction. */
  readonly batchSize?: number;
  /** First and longest pause after a fault, in milliseconds. */
  readonly backoffMs?: readonly [first: number, longest: number];
}

/**
 * Lets the tree grow with the log: every audited event becomes a leaf, in log order, none is ever
 * left out, and none is decoded. A fault of the store or of the database ends a session; the next
 * one goes on exactly where the stored tree ends.
 *
 * It does not go on when the log is shorter than it was, or holds another event where the newest leaf,
 * or the newest event of the stream `log`, comes from: an older copy was put back, or the tree is another
 * log's. The tree is made anew when all
 * that was signed is in the log (see `SignedPart`), or by deleting its file; signed checkpoints stay
 * binding.
 *
 * What is stored is never believed on its own word: before a session goes on, and once after every
 * other end of one, it is compared with the events, whose tree is kept in memory from then on.
 */
export class TreeFollower {
  readonly #options: Required<TreeFollowerOptions>;
  readonly #signedPart: SignedPart;
  readonly #stopping = new AbortController();
  #rest = new AbortController();
  #progress: TreeProgress = {
    position: START,
    stalled: 'not started',
    proven: null,
    isContradicted: false,
  };
  /** Ends a session. */
  #session = new AbortController();
  /** Found by somebody else: no session goes on. */
  #fault: Error | undefined;

  constructor(options: TreeFollowerOptions) {
    this.#options = { restMs: 1_000, batchSize: 512, backoffMs: [100, 5_000], ...options };
    const { store, view: tree, kept, origin } = options;
    this.#signedPart = new SignedPart({ store, tree, kept, origin });
  }

  /** Looks at the log now instead of after the rest. */
  wake(): void {
    this.#rest.abort();
  }

  stop(): void {
    this.#stopping.abort();
    this.wake();
  }

  /** Something else has found that log or tree are not what they were: `run` treats it as its own. */
  fail(fault: Error): void {
    this.#fault ??= fault;
    this.#session.abort();
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
        if (this.#fault !== undefined) throw this.#fault;
        tree.reopen();
        this.#session = new AbortController();
        const ending = new LinkedSignal([signal, this.#session.signal]);
        await this.#follow(ending.signal).finally(() => {
          ending.end();
        });
      } catch (error) {
        if (error instanceof ReadDatabaseDamaged) throw error;
        if (tree.state.position > before) [backoff] = backoffMs;
        const stalled = errorSummary(error);
        if (stalled !== this.#progress.stalled)
          report('the tree of the log stands still', { error });
        this.#tell({ stalled, proven: null, isContradicted: error instanceof LogContradicted });
        if (error instanceof LogContradicted) await this.#judge(error);
        await pause(backoff, signal);
        backoff = Math.min(backoff * 2, backoffMs[1]);
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store, tree, view, batchSize } = this.#options;
    await requireSameLog(store, view, tree.state);
    this.#tell({ stalled: 'the newest leaves are compared with the log' });
    const frontier = await provenTree(store, view, tree.state, signal);
    if (frontier === undefined) return;
    const taken = (position: Position): void => {
      const proven = { size: frontier.size, rootHash: frontier.root() };
      this.#tell({ position, proven, stalled: null, isContradicted: false });
    };
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
        for (const leaf of tree.take(batch)) frontier.append(leaf);
        batch = [];
      }
      if (message.kind === 'caught-up') {
        this.#rest = new AbortController();
        taken(message.position);
        await pause(this.#options.restMs, this.#rest.signal);
      } else {
        taken(tree.state.position);
        await letOthersRun();
      }
    }
  }

  /**
   * Out of service comes first: to look at all that was signed takes its time.
   * @throws {ReadDatabaseDamaged} when it is the tree that is at fault
   */
  async #judge({ message }: LogContradicted): Promise<void> {
    try {
      if (!(await this.#signedPart.isThere(this.#stopping.signal))) return;
    } catch (error) {
      if (error instanceof ReadDatabaseDamaged) throw error;
      // The store is away: asked again at the next session.
      return;
    }
    throw new ReadDatabaseDamaged(`${message}, but all that was signed is in the log`);
  }

  #tell(step: Partial<TreeProgress>): void {
    const position: Position = step.position ?? this.#progress.position;
    this.#progress = { ...this.#progress, ...step, position };
    this.#options.onProgress(this.#progress);
  }
}
