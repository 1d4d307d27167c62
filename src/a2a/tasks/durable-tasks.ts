import type { AgentId, Uuid } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { ListTasksRequest, ListTasksResponse } from '../wire/types.js';
import type { TaskList } from './directory/task-list.js';
import {
  continueTask,
  endFullTurn,
  endTask,
  recordChanges,
  releaseTask,
  submitTask,
  type NewId,
} from './domain/decide.js';
import type { StoredTaskEvent } from './domain/events.js';
import { owns, taskIdOf } from './domain/owner.js';
import { taskNotCancelable, taskNotFound } from './domain/refusals.js';
import { parseTaskId } from './domain/streams.js';
import { isHeld, type TaskFold } from './domain/task-fold.js';
import type {
  NewTask,
  StoredTask,
  TaskChange,
  TaskChangeRefused,
  TaskOwner,
} from './domain/task.js';
import type { TaskEvent, TurnsHere, WatchedSpan, Tasks } from './port.js';
import type { TaskFeed } from './task-feed.js';
import type { TaskShowing } from './task-showing.js';
import type { TaskStreams } from './task-streams.js';
import { tooManyWriters, type TaskWriter } from './task-writer.js';
import { watchTask } from './watch-task.js';

/** Tries to begin a task whose predecessor is being deleted. */
const MAX_ATTEMPTS = 8;

/** Told of the call of a task that was canceled while it waited for an approval. */
export type OnHoldCanceled = (invocationId: Uuid) => void;

type Decide<E> = (fold: TaskFold) => Result<readonly StoredTaskEvent[], E>;

/** Tasks as streams of the task store: see the port. */
export class DurableTasks implements Tasks {
  #onHoldCanceled: OnHoldCanceled = () => undefined;

  constructor(
    private readonly streams: TaskStreams,
    private readonly writer: TaskWriter,
    private readonly feed: TaskFeed,
    private readonly taskList: TaskList,
    private readonly showing: TaskShowing,
    private readonly newId: NewId,
  ) {}

  idFor(owner: TaskOwner, agentId: AgentId, messageId: string): Uuid {
    return taskIdOf(owner, agentId, messageId) ?? (this.newId() as Uuid);
  }

  async submit(id: Uuid, task: NewTask): Promise<{ known: boolean; stored: StoredTask }> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const fold = await this.streams.append(id, undefined, submitTask(id, task, this.newId));
      if (fold !== undefined) return { known: false, stored: fold };
      const first = await this.load(id);
      if (first !== undefined) return { known: true, stored: first };
      // It was deleted between the two looks.
    }
    throw tooManyWriters(id);
  }

  async load(id: Uuid): Promise<TaskFold | undefined> {
    return (await this.streams.load(id))?.fold;
  }

  turnsAre(turns: TurnsHere): void {
    this.showing.turnsAre(turns);
  }

  async show(stored: StoredTask): Promise<StoredTask | undefined> {
    return await this.showing.show(stored);
  }

  async find(
    owner: TaskOwner,
    agentId: AgentId,
    id: string,
  ): Promise<Result<TaskFold, A2aRefusal>> {
    const found = await this.#owned(owner, agentId, id);
    if (!found.ok) return found;
    const shown = await this.showing.show(found.value);
    return shown === undefined ? err(taskNotFound(id)) : ok(shown);
  }

  async #owned(
    owner: TaskOwner,
    agentId: AgentId,
    id: string,
  ): Promise<Result<TaskFold, A2aRefusal>> {
    const taskId = parseTaskId(id);
    const fold = taskId === undefined ? undefined : await this.load(taskId);
    const isVisible =
      fold !== undefined && fold.agentId === agentId && owns(owner, fold) && fold.answer === null;
    return isVisible ? ok(fold) : err(taskNotFound(id));
  }

  async continue(
    id: Uuid,
    revision: number,
    turn: Parameters<typeof continueTask>[2],
  ): Promise<Result<StoredTask, TaskChangeRefused>> {
    return await this.#change(id, (fold) => continueTask(fold, revision, turn, this.newId));
  }

  async record(
    id: Uuid,
    invocationId: Uuid,
    changes: readonly TaskChange[],
  ): Promise<Result<StoredTask, TaskChangeRefused>> {
    const recorded = await this.#change(id, (fold) =>
      recordChanges(fold, invocationId, changes, this.newId),
    );
    if (recorded.ok || recorded.error.kind !== 'full') return recorded;
    const ended = await this.#change(id, (fold) => endFullTurn(fold, invocationId, this.newId));
    return err(ended.ok ? { kind: 'full', task: ended.value } : ended.error);
  }

  async release(
    id: Uuid,
    invocationId: Uuid,
    changes: readonly TaskChange[],
  ): Promise<Result<StoredTask, TaskChangeRefused>> {
    return await this.#change(id, (fold) => releaseTask(fold, invocationId, changes, this.newId));
  }

  async cancel(
    owner: TaskOwner,
    agentId: AgentId,
    id: string,
  ): Promise<Result<StoredTask, A2aRefusal>> {
    // What is canceled ends in no message, whether it was shown before or not.
    const found = await this.#owned(owner, agentId, id);
    if (!found.ok) return found;
    const canceled = await this.writer.change(found.value.task.id as Uuid, (fold) =>
      endTask(fold, 'TASK_STATE_CANCELED', undefined, this.newId),
    );
    if (canceled === undefined) return err(taskNotFound(id));
    const { hold } = found.value;
    if (canceled.ok && hold !== null && isHeld(found.value))
      this.#onHoldCanceled(hold.invocationId);
    if (canceled.ok) return canceled;
    const { task } = canceled.error;
    if (task.answer !== null) return err(taskNotFound(id));
    return task.task.status.state === 'TASK_STATE_CANCELED' ? ok(task) : err(taskNotCancelable(id));
  }

  whenHoldCanceled(listener: OnHoldCanceled): void {
    this.#onHoldCanceled = listener;
  }

  async list(
    owner: TaskOwner,
    agentId: AgentId,
    request: ListTasksRequest,
  ): Promise<Result<ListTasksResponse, A2aRefusal>> {
    return await this.taskList.list(owner, agentId, request);
  }

  watch(
    id: Uuid,
    after: number | undefined,
    signal: AbortSignal,
    until: WatchedSpan = 'turn',
  ): AsyncIterable<TaskEvent> {
    return watchTask({ streams: this.streams, feed: this.feed }, id, after, signal, until);
  }

  /** For tasks that are known to be there: only ended ones are ever deleted. */
  async #change<E>(id: Uuid, decide: Decide<E>): Promise<Result<TaskFold, E>> {
    const changed = await this.writer.change(id, decide);
    if (changed === undefined) throw new TypeError(`there is no task ${id}`);
    return changed;
  }
}
