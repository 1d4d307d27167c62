/** All in milliseconds, but the count. */
export interface RetryTiming {
  /** Between two looks for webhooks that have something to be told. */
  readonly pollMs: number;
  /** The same while another node acts. */
  readonly foreignLeasePollMs: number;
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** Of one notification; then it is abandoned, and the next one's turn comes. */
  readonly maxAttempts: number;
}

export const RETRY: RetryTiming = {
  pollMs: 200,
  foreignLeasePollMs: 2_000,
  firstRetryMs: 1_000,
  longestRetryMs: 300_000,
  maxAttempts: 8,
};

/**
 * Twice as long after every failure, up to a bound; half of it by chance, so that many that failed
 * together do not come back together. What `Retry-After` asks for counts when it is longer, within
 * the same bound.
 */
export function retryDelayMs(
  { firstRetryMs, longestRetryMs }: RetryTiming,
  attempts: number,
  retryAfterMs: number | null,
  chance: number,
): number {
  const full = Math.min(firstRetryMs * 2 ** Math.min(attempts - 1, 30), longestRetryMs);
  return Math.max(full / 2 + (full / 2) * chance, Math.min(retryAfterMs ?? 0, longestRetryMs));
}
