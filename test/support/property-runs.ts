const isLong = process.env['TEST_LONG'] === '1';

/**
 * How often each property is tried: few at every commit, many in the long run. The properties of
 * one file share a seed, so that they meet the same cases; a failure prints it.
 */
export const RUNS = {
  numRuns: isLong ? 5000 : 200,
  seed: Date.now() & 0x7fffffff,
} as const;
