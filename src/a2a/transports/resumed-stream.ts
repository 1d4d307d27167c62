import type { Uuid } from '../../kernel/ids.js';
import type { TaskEvent, Tasks } from '../tasks/port.js';

/**
 * The events of a message that was sent again with `Last-Event-ID`: when its task was known, what
 * came after that event instead of the task as it stands. A task that has not come so far is another
 * one, of which the client has seen nothing.
 */
export async function* resumedStream(
  begun: AsyncIterable<TaskEvent>,
  lastEventId: number,
  tasks: Pick<Tasks, 'watch'>,
  signal: AbortSignal,
): AsyncGenerator<TaskEvent, undefined> {
  let isFirst = true;
  for await (const event of begun) {
    if (isFirst && 'task' in event.response && lastEventId <= Number(event.id)) {
      yield* tasks.watch(event.response.task.id as Uuid, lastEventId, signal);
      return;
    }
    isFirst = false;
    yield event;
  }
}
