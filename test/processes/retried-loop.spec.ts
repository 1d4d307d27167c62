import { expect, it } from '@jest/globals';
import { faultText } from '../../src/processes/fault.js';
import { PROCESS_TIMING } from '../../src/processes/process-timing.js';
import { RetriedLoop } from '../../src/processes/retried-loop.js';

const stopping = () => new AbortController();

function loopOf(signal: AbortSignal, reported: string[] = []): RetriedLoop {
  return new RetriedLoop({
    whenFailing: 'it fails',
    timing: { ...PROCESS_TIMING, firstRetryMs: 10, longestRetryMs: 600_000 },
    reportFault: (what, error) => {
      const text = faultText(what, error);
      reported.push(text);
      return text;
    },
    signal,
  });
}

it('pauses twice as long after every failure, until there is progress', async () => {
  const loop = loopOf(stopping().signal);
  const begun: number[] = [];
  await loop.run(() => {
    begun.push(performance.now());
    // From the fifth on each failure is the first since some progress.
    if (begun.length >= 5) loop.madeProgress();
    return begun.length < 20 ? Promise.reject(new Error('away')) : Promise.resolve();
  });
  const pauses = begun.slice(1).map((at, index) => at - (begun[index] ?? 0));
  // A timer may be early by the fraction of a millisecond.
  for (const [index, least] of [10, 20, 40, 80].entries()) {
    expect(pauses[index]).toBeGreaterThan(least - 2);
  }
  // Growing pauses would have become hours by now.
  expect(pauses).toHaveLength(19);
});

it('has a fault from a failure to the next progress, and reports each', async () => {
  const reported: string[] = [];
  const loop = loopOf(stopping().signal, reported);
  const faults: (string | null)[] = [];
  let runs = 0;
  await loop.run(() => {
    runs++;
    faults.push(loop.fault);
    if (runs < 3) return Promise.reject(new Error('away'));
    loop.madeProgress();
    faults.push(loop.fault);
    return Promise.resolve();
  });
  expect(faults).toEqual([null, 'it fails: away', 'it fails: away', null]);
  expect(reported).toEqual(['it fails: away', 'it fails: away']);
});

it('ends a pause at once when the process stops, and begins nothing anew', async () => {
  const stop = stopping();
  let runs = 0;
  const loop = new RetriedLoop({
    whenFailing: 'it fails',
    timing: { ...PROCESS_TIMING, firstRetryMs: 600_000, longestRetryMs: 600_000 },
    reportFault: faultText,
    signal: stop.signal,
  });
  const running = loop.run(() => {
    runs++;
    return Promise.reject(new Error('away'));
  });
  setTimeout(() => {
    stop.abort();
  }, 10);
  await running;
  expect(runs).toBe(1);
});
