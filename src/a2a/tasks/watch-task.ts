import type { Recorded } from '../../kernel/event.js';
import type { Uuid } from '../../kernel/ids.js';
import type { StreamResponse, Task } from '../wire/types.js';
import type { StoredTaskEvent } from './domain/events.js';
import { endsTask, endsTurn, isOfTurn, streamResponseOf } from './domain/stream-response.js';
import { hasEnded, isRunning, type TaskFold } from './domain/task-fold.js';
import type { TaskEvent, WatchedSpan } from './port.js';
import type { TaskFeed } from './task-feed.js';
import type { TaskStreams } from './task-streams.js';

/**
 * The events of a task after a revision, old and new ones alike read from its stream, so that there
 * is no seam between them. Ends with the turn, or with the task: after the first event that ends it,
 * or at once when it is over and there is nothing more. A revision that the task has not reached was not given
 * by it (it was deleted and begun anew): the task as it stands comes first then, too.
 */
export async function* watchTask(
  { streams, feed }: { readonly streams: TaskStreams; readonly feed: TaskFeed },
  id: Uuid,
  after: number | undefined,
  signal: AbortSignal,
  until: WatchedSpan,
): AsyncGenerator<TaskEvent, undefined> {
  const { isOver, isEndedBy } = SPANS[until];
  const bell = await feed.listen(id);
  try {
    const fold = (await streams.load(id))?.fold;
    if (fold === undefined) return;
    const isResumed = after !== undefined && after <= fold.revision;
    // A turn that ended in a message has no task to show, whenever the watching began.
    const showsEnd = fold.answer !== null && (after ?? -1) < fold.revision;
    if (!isResumed || showsEnd) {
      yield { id: String(fold.revision), response: standing(fold) };
      if (isOver(fold)) return;
    }
    let last = isResumed ? after : fold.revision;
    while (!signal.aborted) {
      let isNews = false;
      for await (const events of streams.pages(id, last + 1)) {
        for (const event of events) {
          last = event.revision;
          const response = await responseTo(event, fold.task, id, streams);
          if (response !== undefined) yield { id: String(last), response };
          if (isEndedBy(event) || isAborted(signal)) return;
          isNews ||= isOfTurn(event);
        }
      }
      if (!isNews && isOverAt(last, (await streams.load(id))?.fold, isOver)) return;
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

const SPANS = {
  turn: { isOver: (fold: TaskFold) => !isRunning(fold), isEndedBy: endsTurn },
  task: { isOver: hasEnded, isEndedBy: endsTask },
} as const satisfies Record<WatchedSpan, object>;

function isOverAt(
  last: number,
  fold: TaskFold | undefined,
  isOver: (fold: TaskFold) => boolean,
): boolean {
  return fold === undefined || (fold.revision <= last && isOver(fold));
}

/** A call, since the signal changes while the reader holds the last event. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
