/** All in milliseconds, but the two that count events. */
export interface ProcessTiming {
  readonly leaseMs: number;
  /** A look at the clock at least so often: machines sleep, clocks are set. */
  readonly longestSleepMs: number;
  /** How soon a node looks again while another one holds the lease. */
  readonly foreignLeasePollMs: number;
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** Events after which the checkpoint is moved once nothing has happened for `idleMs`. */
  readonly checkpointAfterEvents: number;
  readonly idleMs: number;
  /** Events after which the checkpoint is moved in any case. */
  readonly checkpointAtLatestAfterEvents: number;
  /** What is due so far ahead is due much later: noted on the calendar, of a process that keeps one. */
  readonly muchLaterMs: number;
}

export const PROCESS_TIMING: ProcessTiming = {
  leaseMs: 30_000,
  longestSleepMs: 60_000,
  foreignLeasePollMs: 1000,
  firstRetryMs: 250,
  longestRetryMs: 60_000,
  checkpointAfterEvents: 1000,
  idleMs: 5000,
  checkpointAtLatestAfterEvents: 50_000,
  muchLaterMs: 2 * 86_400_000,
};

/** Twice as long after every failure. */
export function retryDelay(timing: ProcessTiming, attempts: number): number {
  return Math.min(timing.firstRetryMs * 2 ** Math.min(attempts - 1, 30), timing.longestRetryMs);
}
