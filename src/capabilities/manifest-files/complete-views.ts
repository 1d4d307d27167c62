import type { EventStore } from '../../event-store/port.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { ReadModel } from '../../projections/port.js';

/** Views that are rebuilt read the whole log first. */
const PATIENCE_MINUTES = 5;

/**
 * Waits until all views show the log as it is now: what is judged by them before that rests on half
 * of it. Refuses with a sentence for operators.
 */
export async function completeViews(
  store: Pick<EventStore, 'head'>,
  readModel: Pick<ReadModel, 'waitFor'>,
): Promise<Result<undefined, string>> {
  const isComplete = await readModel.waitFor(await store.head(), PATIENCE_MINUTES * 60_000);
  return isComplete
    ? ok(undefined)
    : err(`the views did not catch up with the log in ${PATIENCE_MINUTES} minutes`);
}
