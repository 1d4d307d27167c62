import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { EventStoreUnavailable, type SubscriptionMessage } from '../port.js';
import { toPosition } from './event-row.js';
import type { EventScan, Page } from './event-scan.js';
import type { HeadWatch } from './head-watch.js';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 2_000;

export interface SubscriptionSource {
  readonly openScan: () => EventScan;
  readonly watch: HeadWatch;
  readonly readHead: () => number;
  /** Told of every fault that the subscription outlives. */
  readonly onFault: (fault: unknown) => void;
  /** Called once the subscription has ended, for whatever reason. */
  readonly onEnd: () => void;
}

/**
 * The messages after a rowid: read from the file, page by page, whether they are old or new, so
 * that there is no seam between catching up and following.
 */
export async function* follow(
  source: SubscriptionSource,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<SubscriptionMessage, undefined> {
  const { openScan, watch, readHead, onFault, onEnd } = source;
  let scan: EventScan | undefined;
  let cursor = after;
  let pause = FIRST_PAUSE_MS;
  try {
    while (!signal.aborted) {
      let head: number;
      let page: Page;
      try {
        scan ??= openScan();
        head = readHead();
        page = scan.page(cursor, head);
      } catch (fault) {
        onFault(fault);
        await delay(pause, undefined, { signal }).catch(() => undefined);
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        continue;
      }
      if (head < cursor) throw cutShort(head, cursor);
      pause = FIRST_PAUSE_MS;
      for (const { envelope } of page.events) {
        if (isAborted(signal)) return;
        yield { kind: 'event', event: envelope };
      }
      cursor = page.end;
      if (cursor < head) {
        await nextTurn();
        continue;
      }
      if (isAborted(signal)) return;
      yield { kind: 'caught-up', position: toPosition(cursor) };
      await watch.beyond(cursor, signal);
    }
  } finally {
    onEnd();
  }
}

/** A call, since the signal changes while the reader holds the last message. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/**
 * The log ends before a place that a reader has seen: an older copy was put back, or the reader's
 * checkpoint belongs to another log. To go on would skip events without a word.
 */
function cutShort(head: number, checkpoint: number): EventStoreUnavailable {
  return new EventStoreUnavailable(
    `the log ends at ${toPosition(head)}, before the reader's checkpoint ${toPosition(checkpoint)}`,
  );
}
