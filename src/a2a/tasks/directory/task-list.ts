import type { EventStore, Position } from '../../../event-store/port.js';
import { decodeCursor, encodeCursor, type CursorScope } from '../../../http/cursor.js';
import type { AgentId, Uuid } from '../../../kernel/ids.js';
import type { Fault } from '../../../kernel/rejection.js';
import { err, ok, type Result } from '../../../kernel/result.js';
import type { Clock } from '../../../kernel/timestamp.js';
import type { ReadModel } from '../../../projections/port.js';
import type { A2aRefusal } from '../../wire/refusal.js';
import type { ListTasksRequest, ListTasksResponse, Task } from '../../wire/types.js';
import { listingKey } from '../domain/owner.js';
import { invalidParams } from '../domain/refusals.js';
import { shownTask } from '../domain/shown-task.js';
import type { TaskFold } from '../domain/task-fold.js';
import type { TaskOwner } from '../domain/task.js';
import type { TaskShowing } from '../task-showing.js';
import type { TaskStreams } from '../task-streams.js';
import type { PlacedFold } from '../folded-stream.js';
import { taskDirectory } from './projection.js';
import type { TaskDirectory } from './task-directory.js';
import { countRows, selectRows, type ListedRow, type Selection } from './list-rows.js';

const DEFAULT_PAGE = 50;
/** A page ends early when its tasks together are about so many characters. */
const PAGE_WEIGHT = 8 * 1024 * 1024;

/**
 * How long a page token is good for, in milliseconds: rows that were superseded are kept a little
 * longer, so that a sequence of pages reads as of its first.
 */
export const PAGE_TOKEN_LIFE_MS = 15 * 60_000;

/** A sequence of pages: as of which position, since when, how many tasks, and after which row. */
interface Place {
  readonly asOf: Position;
  readonly begunAt: number;
  readonly total: number;
  readonly after: Pick<ListedRow, 'statusAt' | 'since'> | undefined;
}

export interface TaskListOptions {
  readonly store: Pick<EventStore, 'head'>;
  readonly readModel: ReadModel;
  readonly streams: TaskStreams;
  readonly directory: Pick<TaskDirectory, 'forget'>;
  readonly showing: Pick<TaskShowing, 'show'>;
  readonly clock: Clock;
  /** Longest wait for the view to catch up, in milliseconds. */
  readonly waitMs: number;
}

/**
 * ListTasks (A2A v1.0 section 3.1.4): the owner's tasks of one agent, the newest status first. All
 * pages of a sequence show the tasks as they were at its first page, so that tasks which change
 * between two pages are neither skipped nor repeated. Tasks that were deleted meanwhile, or have ended in
 * a message, are left out.
 */
export class TaskList {
  constructor(private readonly options: TaskListOptions) {}

  /** Refuses with `page-token-invalid`, `page-token-expired`, `projection-behind`. */
  async list(
    owner: TaskOwner,
    agentId: AgentId,
    request: ListTasksRequest,
  ): Promise<Result<ListTasksResponse, A2aRefusal>> {
    const pageSize = request.pageSize ?? DEFAULT_PAGE;
    const key = listingKey(owner, agentId);
    if (key === null) return ok({ tasks: [], nextPageToken: '', pageSize, totalSize: 0 });
    const selection = selectionOf(key, request);
    const scope = scopeOf(selection);
    const place = await this.#place(selection, scope, request.pageToken ?? '');
    if (!place.ok) return place;
    const { asOf, begunAt, total, after } = place.value;
    const rows = selectRows(this.options.readModel, selection, asOf, after, pageSize + 1);
    const { tasks, last } = await this.#tasksOf(rows.slice(0, pageSize), asOf, request);
    const isEnd = last === undefined || last === rows.at(-1);
    const nextPageToken = isEnd
      ? ''
      : encodeCursor(scope, [asOf, begunAt, total, last.statusAt, last.since]);
    return ok({ tasks, nextPageToken, pageSize, totalSize: total });
  }

  /** Where the sequence stands that a page token belongs to, or the begin of a new one. */
  async #place(
    selection: Selection,
    scope: CursorScope,
    pageToken: string,
  ): Promise<Result<Place, A2aRefusal>> {
    const { store, readModel, clock } = this.options;
    if (pageToken === '') {
      const asOf = await store.head();
      if (!(await this.#reaches(asOf))) return err(BEHIND);
      const total = countRows(readModel, selection, asOf);
      return ok({ asOf, begunAt: clock(), total, after: undefined });
    }
    const cursor = decodeCursor(scope, pageToken);
    if (!cursor.ok) return err(NO_TOKEN);
    const [asOf, begunAt, total, statusAt, since] = cursor.value as CursorParts;
    if (clock() - begunAt > PAGE_TOKEN_LIFE_MS) {
      return err(tokenFault('page-token-expired', 'is too old; begin with the first page again'));
    }
    // A position that the log has not reached was not given by it, and is nothing to wait for.
    if (asOf > (await store.head())) return err(NO_TOKEN);
    // The first page may have come from a node that was ahead of this one.
    if (!(await this.#reaches(asOf as Position))) return err(BEHIND);
    return ok({ asOf: asOf as Position, begunAt, total, after: { statusAt, since } });
  }

  async #reaches(position: Position): Promise<boolean> {
    const { readModel, waitMs } = this.options;
    return await readModel.waitFor(position, waitMs, [taskDirectory.name]);
  }

  /** @returns the tasks, and the last row that was looked at. */
  async #tasksOf(
    rows: readonly ListedRow[],
    asOf: Position,
    request: ListTasksRequest,
  ): Promise<{ readonly tasks: readonly Task[]; readonly last: ListedRow | undefined }> {
    const { historyLength, includeArtifacts = false } = request;
    const tasks: Task[] = [];
    const gone: Uuid[] = [];
    let last: ListedRow | undefined;
    let weight = 0;
    for (const row of rows) {
      const head = await this.options.streams.load(row.taskId);
      last = row;
      if (head === undefined) gone.push(row.taskId);
      const fold = head && (await this.#shownAsOf(head, asOf));
      if (fold === undefined) continue;
      tasks.push(shownTask(fold.task, { historyLength, includeArtifacts }));
      weight += fold.weight;
      if (weight >= PAGE_WEIGHT) break;
    }
    if (gone.length > 0) this.options.directory.forget(gone);
    return { tasks, last };
  }

  async #shownAsOf(
    { fold, position: head }: PlacedFold,
    asOf: Position,
  ): Promise<TaskFold | undefined> {
    const { streams, showing } = this.options;
    if ((await showing.show(fold)) === undefined) return undefined;
    if (head <= asOf) return fold;
    return await streams.loadWhile(fold.task.id as Uuid, ({ position }) => position <= asOf);
  }
}

type CursorParts = [asOf: string, begunAt: number, total: number, statusAt: number, since: string];

const BEHIND: A2aRefusal = {
  error: 'Internal',
  detail: 'The list has not yet caught up with the newest tasks; try again.',
  code: 'projection-behind',
};

function tokenFault(code: string, detail: string): A2aRefusal {
  const fault: Fault = { pointer: '/pageToken', detail };
  return invalidParams(code, [fault]);
}

const NO_TOKEN = tokenFault('page-token-invalid', 'is no token of this list');

function selectionOf(owner: string, request: ListTasksRequest): Selection {
  const { contextId = null, status = null, statusTimestampAfter } = request;
  const from = statusTimestampAfter === undefined ? null : Date.parse(statusTimestampAfter);
  return { owner, contextId, state: status, from };
}

function scopeOf(selection: Selection): CursorScope {
  return {
    list: 'tasks',
    filters: selection,
    key: ['string', 'number', 'number', 'number', 'string'],
  };
}
