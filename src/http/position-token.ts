import type { Position } from '../event-store/port.js';
import type { Rejection } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';

/** Answered by every write, accepted by every read. */
export const POSITION_TOKEN_HEADER = 'position-token';

/** As long as those of any engine; whose it is, the log can tell. */
const POSITION = /^(?:\d{20}|\d{40})$/;

/**
 * The token is the position's own text: it names no secret, and a client cannot make one that shows
 * it more than it may see, only one that nobody reaches in time. Refuses with `position-invalid`.
 */
export function parsePositionToken(text: string): Result<Position, Rejection> {
  return POSITION.test(text) ? ok(text as Position) : err({ code: 'position-invalid' });
}
