import {
  compareTimestamps,
  millisecondsOf,
  timestampOf,
  type Timestamp,
} from '../../kernel/timestamp.js';

/**
 * A signed moment counts only near the server's clock. Both ends of the leeway (milliseconds) are
 * within it, to the last digit that the signer wrote.
 */
export function isWithinLeeway(signedAt: Timestamp, now: Timestamp, leewayMs: number): boolean {
  const clock = millisecondsOf(now);
  return (
    compareTimestamps(signedAt, timestampOf(clock - leewayMs)) >= 0 &&
    compareTimestamps(signedAt, timestampOf(clock + leewayMs)) <= 0
  );
}
