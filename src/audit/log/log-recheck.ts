import { START, type EventStore } from '../../event-store/port.js';
import type { Reporter } from '../../kernel/reporter.js';
import { pause } from '../../projections/pause.js';
import { ReadDatabaseDamaged } from '../../projections/read-database.js';
import { AUDITED_STREAM_PREFIXES } from '../audited-streams.js';
import { LeafCheck } from './leaf-check.js';
import { LogContradicted } from './log-contradicted.js';
import type { TreeView } from './tree-view.js';

export interface LogRecheckOptions {
  readonly store: Pick<EventStore, 'readAll'>;
  readonly tree: TreeView;
  /** Told when the log differs from what was signed, or the stored tree from the log. */
  readonly onDifference: (difference: LogContradicted | ReadDatabaseDamaged) => void;
  readonly report: Reporter;
  /** After every so many events it rests, in milliseconds: it is in nobody's way. */
  readonly batchSize?: number;
  readonly restMs?: number;
  /** Between two passes, and after a fault, in milliseconds. */
  readonly everyMs?: number;
  readonly retryMs?: number;
}

/**
 * Reads the whole log again and compares it with the stored leaves: at the start, then once a day.
 * That is how it is noticed when somebody has changed or deleted stored events that were signed.
 */
export class LogRecheck {
  readonly #options: Required<LogRecheckOptions>;

  constructor(options: LogRecheckOptions) {
    this.#options = {
      batchSize: 128,
      restMs: 50,
      everyMs: 24 * 60 * 60 * 1_000,
      retryMs: 60_000,
      ...options,
    };
  }

  /** Until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { everyMs, retryMs, onDifference, report } = this.#options;
    while (!signal.aborted) {
      let wait = everyMs;
      try {
        await this.#pass(signal);
      } catch (error) {
        if (error instanceof LogContradicted || error instanceof ReadDatabaseDamaged) {
          onDifference(error);
        } else {
          report('the log could not be compared with its tree', { error });
          wait = retryMs;
        }
      }
      await pause(wait, signal);
    }
  }

  async #pass(signal: AbortSignal): Promise<void> {
    const { store, tree, batchSize, restMs } = this.#options;
    // What is added meanwhile was hashed just now.
    const { size } = tree;
    if (size === 0) return;
    const check = new LeafCheck(tree);
    for await (const event of store.readAll(START, { streamPrefixes: AUDITED_STREAM_PREFIXES })) {
      check.take(event);
      if (check.frontier.size === size) break;
      if (check.frontier.size % batchSize === 0) await pause(restMs, signal);
      if (signal.aborted) return;
    }
    check.end(size);
  }
}
