import { letOthersRun } from '../../../threads/let-others-run.js';

/** Long work that stops every millisecond or so, where something else may run. */
export type Steps<Result> = Generator<undefined, Result>;

/** How long work may go on before messages that wait are answered. */
const SLICE_MS = 4;

/**
 * Does the work a slice at a time. Stops for good, with undefined, once `isWanted` says no.
 */
export async function inSlices<Result>(
  steps: Steps<Result>,
  isWanted: () => boolean = () => true,
): Promise<Result | undefined> {
  let began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - began < SLICE_MS) continue;
    await letOthersRun();
    if (!isWanted()) return undefined;
    began = performance.now();
  }
}
