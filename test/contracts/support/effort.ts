/** `TEST_LONG=1` asks for more kills, more racers, more events. */
const LONG = process.env['TEST_LONG'] === '1';

/** How much of something a test does: in every run, and in the long one. */
export function effort(usual: number, long: number): number {
  return LONG ? long : usual;
}

/** For tests that start processes, on a machine that is busy with others, in milliseconds. */
export const PROCESS_TEST_TIMEOUT = effort(60_000, 600_000);
