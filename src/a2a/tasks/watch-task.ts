import type { Recorded } from '../../kernel/event.js';
import type { Uuid } from '../../kernel/ids.js';
import type { StreamResponse, Task } from '../wire/types.js';
import type { StoredTaskEvent } from './domain/events.js';
import { endsTurn, isOfTurn, streamResponseOf } from './domain/stream-response.js';
import { isRunning, type TaskFold } from './domain/task-fold.js';
import type { TaskEvent } from './port.js';
import type { TaskFeed } from './task-feed.js';
import type { TaskStreams } from './task-streams.js';

/**
 * The events of a task after a revision, old and new ones alike read from its stream, so that there
 * is no seam between them. Ends with the turn: after the first event that ends one, or at once when
 * the turn is over and there is nothing more. A revision that the task has not reached was not given
 * by it (it was deleted and begun anew): the task as it stands comes first then, too.
 */
export async function* watchTask(
  { streams, feed }: { readonly streams: TaskStreams; readonly feed: TaskFeed },
  id: Uuid,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<TaskEvent, undefined> {
  const bell = await feed.listen(id);
  try {
    const fold = (await streams.load(id))?.fold;
    if (fold === undefined) return;
    const isResumed = after !== undefined && after <= fold.revision;
    // A turn that ended in a message has no task to show, whenever the watching began.
    const showsEnd = fold.answer !== null && (after ?? -1) < fold.revision;
    if (!isResumed || showsEnd) {
      yield { id: String(fold.revision), response: standing(fold) };
      if (!isRunning(fold)) return;
    }
    let last = isResumed ? after : fold.revision;
    while (!signal.aborted) {
      const events = await streams.read(id, last + 1);
      for (const event of events) {
        last = event.revision;
        const response = await responseTo(event, fold.task, id, streams);
        if (response !== undefined) yield { id: String(last), response };
        if (endsTurn(event) || isAborted(signal)) return;
      }
      const isNews = events.some((event) => isOfTurn(event));
      if (!isNews && isOver((await streams.load(id))?.fold, last)) return;
      await bell.wait(signal);
    }
  } finally {
    bell.close();
  }
}

/** One event as a watcher is told; undefined when it is internal. */
export async function responseTo(
  event: Recorded<StoredTaskEvent>,
  task: Pick<Task, 'id' | 'contextId'>,
  id: Uuid,
  streams: TaskStreams,
): Promise<StreamResponse | undefined> {
  const response = streamResponseOf(event, task);
  if (response !== 'snapshot') return response;
  const fold = await streams.loadWhile(id, ({ revision }) => revision <= event.revision);
  return fold === undefined ? undefined : { task: fold.task };
}

function standing({ task, answer }: TaskFold): StreamResponse {
  return answer === null ? { task } : { message: answer };
}

function isOver(fold: TaskFold | undefined, last: number): boolean {
  return fold === undefined || (fold.revision <= last && !isRunning(fold));
}

/** A call, since the signal changes while the reader holds the last event. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
