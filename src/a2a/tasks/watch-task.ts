import type { Recorded } from '../../kernel/event.js';
import type { Uuid } from '../../kernel/ids.js';
import type { StreamResponse, Task } from '../wire/types.js';
import type { StoredTaskEvent } from './domain/events.js';
import {
  beginsTurn,
  endsTask,
  endsTurn,
  isOfTurn,
  streamResponseOf,
  turnBegun,
} from './domain/stream-response.js';
import { hasEnded, isRunning, type TaskFold } from './domain/task-fold.js';
import type { PlacedEvent } from './folded-stream.js';
import type { TaskEvent, WatchedSpan } from './port.js';
import type { TaskFeed } from './task-feed.js';
import type { TaskStreams } from './task-streams.js';

/**
 * The events of a task after a revision, old and new ones alike read from its stream, so that there
 * is no seam between them. Ends with the turn, or with the task: after the first event that ends it,
 * or at once when it is over and there is nothing more. A revision that the task has not reached was not given
 * by it (it was deleted and begun anew): the task as it stands comes first then, too. Stops at the signal,
 * and when the feed is closed.
 *
 * Thousands may watch for hours: nothing of the task is held while there is nothing to tell.
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
  // A call, since both change while the reader holds an event.
  const isStopped = (): boolean => signal.aborted || bell.isDone;
  const isLast: IsLast = (event) => isEndedBy(event) || isStopped();
  try {
    const watched = yield* opening(streams, id, after, isOver);
    if (watched === undefined) return;
    while (!isStopped()) {
      const told = yield* news(streams, id, watched, isLast);
      if (told === 'last') return;
      if (told === 'nothing' && isOverAt(watched.last, (await streams.load(id))?.fold, isOver)) {
        return;
      }
      await bell.wait(signal);
    }
  } finally {
    bell.close();
  }
}

/** What a watcher keeps of a task. */
interface Watched {
  readonly task: Pick<Task, 'id' | 'contextId'>;
  /** Revision of the last event that was looked at. */
  last: number;
  /** As of which revision the next is known. */
  head: number;
  /** Id of the message with which the newest turn began. */
  newest: string | undefined;
}

type IsOver = (fold: TaskFold) => boolean;
type IsLast = (event: Recorded<StoredTaskEvent>) => boolean;

/** The task as it stands, where it is told. @returns undefined when there is nothing to watch */
async function* opening(
  streams: TaskStreams,
  id: Uuid,
  after: number | undefined,
  isOver: IsOver,
): AsyncGenerator<TaskEvent, Watched | undefined> {
  const fold = (await streams.load(id))?.fold;
  if (fold === undefined) return undefined;
  const isResumed = after !== undefined && after <= fold.revision;
  const watched: Watched = {
    task: { id: fold.task.id, contextId: fold.task.contextId },
    last: isResumed ? after : fold.revision,
    ...newestOf(fold),
  };
  // A turn that ended in a message has no task to show, whenever the watching began.
  const showsEnd = fold.answer !== null && (after ?? -1) < fold.revision;
  if (isResumed && !showsEnd) return watched;
  yield { id: String(fold.revision), response: standing(fold) };
  return isOver(fold) ? undefined : watched;
}

/** What there is after the last event. @returns whether it was more than webhooks, and ended the watching */
async function* news(
  streams: TaskStreams,
  id: Uuid,
  watched: Watched,
  isLast: IsLast,
): AsyncGenerator<TaskEvent, 'news' | 'nothing' | 'last'> {
  let isNews = false;
  for await (const part of streams.parts(id, watched.last + 1)) {
    for (const placed of part) {
      const { event } = placed;
      watched.last = event.revision;
      const response = await watchedResponse(placed, watched, id, streams);
      if (response !== undefined) yield { id: String(event.revision), response };
      if (isLast(event)) return 'last';
      isNews ||= isOfTurn(event);
    }
  }
  return isNews ? 'news' : 'nothing';
}

/** Only the newest turn begins with the whole task: told once for each, it would be the square of it. */
async function watchedResponse(
  { event, position }: PlacedEvent,
  watched: Watched,
  id: Uuid,
  streams: TaskStreams,
): Promise<StreamResponse | undefined> {
  if (!beginsTurn(event)) return streamResponseOf(event, watched.task);
  if (event.revision > watched.head) {
    const fold = (await streams.load(id))?.fold;
    if (fold !== undefined) Object.assign(watched, newestOf(fold));
  }
  if (event.data.message.messageId !== watched.newest) {
    return { task: turnBegun(event, watched.task) };
  }
  const fold = await streams.asOf(id, position);
  return fold === undefined ? undefined : { task: fold.task };
}

function newestOf({ revision, messages }: TaskFold): Pick<Watched, 'head' | 'newest'> {
  return { head: revision, newest: [...messages.keys()].at(-1) };
}

/** One event as a webhook is told; undefined when it is internal. */
export async function responseTo(
  event: Recorded<StoredTaskEvent>,
  task: Pick<Task, 'id' | 'contextId'>,
  id: Uuid,
  streams: TaskStreams,
): Promise<StreamResponse | undefined> {
  if (!beginsTurn(event)) return streamResponseOf(event, task);
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

function isOverAt(last: number, fold: TaskFold | undefined, isOver: IsOver): boolean {
  return fold === undefined || (fold.revision <= last && isOver(fold));
}
