import { setTimeout as delay } from 'node:timers/promises';
import type { EventFilter, Position, SubscriptionMessage } from '../port.js';
import { cutShort, isAborted } from '../following.js';
import type { LiveTail } from './live-tail.js';
import type { LogReader } from './log-reader.js';
import { LogScan } from './log-scan.js';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 2_000;

export interface FollowOptions {
  readonly reader: LogReader;
  readonly tail: LiveTail;
  readonly filter: EventFilter;
  /** Told of every fault that the subscription outlives. */
  readonly onFault: (fault: unknown) => void;
  /** Called once the subscription has ended, for whatever reason. */
  readonly onEnd: () => void;
}

/**
 * The messages after a position: old events are read from the server by this reader alone, new ones
 * come from the tail that all readers share. Both are in log order and know their positions, so the
 * seam between them is one comparison.
 */
export async function* follow(
  { reader, tail, filter, onFault, onEnd }: FollowOptions,
  after: Position,
  signal: AbortSignal,
): AsyncGenerator<SubscriptionMessage, undefined> {
  let scan: LogScan | undefined;
  let cursor = after;
  /** The head of some time after the beginning: not before it is reached has the reader caught up. */
  let head: Position | undefined;
  try {
    while (!signal.aborted) {
      const newest = tail.after(cursor);
      const reached = cursor;
      if (newest === undefined || (head === undefined && newest.end <= cursor)) {
        head = await outlive(() => reader.headNotBefore(reached, signal), onFault, signal);
        if (head === undefined || isAborted(signal)) return;
        if (head < cursor) throw cutShort(head, cursor);
        tail.start(head);
      }
      if (newest === undefined) {
        const end = head ?? cursor;
        scan = new LogScan(reader, cursor, end, filter, signal);
        for (;;) {
          const event = await nextOf(scan, onFault, signal);
          if (event === undefined) break;
          yield { kind: 'event', event: event.envelope };
          if (isAborted(signal)) return;
        }
        cursor = end;
        continue;
      }
      for (const event of newest.events) {
        if (!event.matches(filter)) continue;
        if (isAborted(signal)) return;
        yield { kind: 'event', event: event.envelope };
      }
      if (newest.end > cursor) {
        cursor = newest.end;
        // More may have come while the reader was busy.
        continue;
      }
      if (head !== undefined && cursor >= head) yield { kind: 'caught-up', position: cursor };
      await tail.beyond(cursor, signal);
    }
  } finally {
    scan?.stop();
    onEnd();
  }
}

/** The scan keeps its place: after a fault it goes on from there. */
function nextOf(
  scan: LogScan,
  onFault: (fault: unknown) => void,
  signal: AbortSignal,
): ReturnType<LogScan['next']> {
  return outlive(() => scan.next(), onFault, signal);
}

/** Undefined once the signal has aborted. */
async function outlive<T>(
  attempt: () => Promise<T>,
  onFault: (fault: unknown) => void,
  signal: AbortSignal,
): Promise<T | undefined> {
  for (let pause = FIRST_PAUSE_MS; !signal.aborted;) {
    try {
      return await attempt();
    } catch (fault) {
      if (isAborted(signal)) return undefined;
      onFault(fault);
      await delay(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }
  return undefined;
}
