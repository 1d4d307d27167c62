import { logReaches } from '../../event-store/log-reaches.js';
import { START, type EventStore, type Position } from '../../event-store/port.js';
import { parsePositionToken } from '../../http/position-token.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';

/**
 * The position after which a replay begins. One that the log has not reached is waited for, bounded,
 * as other reads wait: a log that ends before what its reader has seen is never answered as one in
 * which nothing happened. Refuses with `position-invalid` and `projection-behind`.
 *
 * @param text as the reader sent it; undefined: from the first event
 */
export async function replayStart(
  store: Pick<EventStore, 'head' | 'holds'>,
  text: string | undefined,
  waitMs: number,
): Promise<Result<Position, Rejection>> {
  if (text === undefined) return ok(START);
  const after = parsePositionToken(text);
  if (!after.ok) return after;
  switch (await logReaches(store, after.value, waitMs)) {
    case 'behind':
      return err({ code: 'projection-behind' });
    case 'foreign':
      return err({ code: 'position-invalid' });
    case 'reached':
      return (await store.holds(after.value)) ? after : err({ code: 'position-invalid' });
  }
}
