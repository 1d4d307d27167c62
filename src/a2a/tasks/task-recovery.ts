import type { Uuid } from '../../kernel/ids.js';
import type { Reporter } from '../../kernel/reporter.js';
import { ok, type Result } from '../../kernel/result.js';
import type { Clock } from '../../kernel/timestamp.js';
import { isInterrupted, type Part } from '../wire/types.js';
import type { TaskDirectory } from './directory/task-directory.js';
import { endTask, type NewId } from './domain/decide.js';
import type { StoredTaskEvent } from './domain/events.js';
import { isRunning, type TaskFold } from './domain/task-fold.js';
import type { StoredTask } from './domain/task.js';
import type { TaskStreams } from './task-streams.js';
import type { TaskWriter } from './task-writer.js';

/** Does what must be done elsewhere before a lost turn is ended; idempotent. */
export type OnLostTurn = (task: StoredTask) => Promise<void>;

/** How long after a deadline the node that runs the turn may still end it itself. */
export const LOST_AFTER_MS = 5_000;
const BATCH = 100;

const LOST: readonly Part[] = [
  {
    text: 'The agent did not finish in time and was given up. What it had begun may or may not have been done; ask again with a new message (a direct invoke: and a new idempotency key).',
  },
];
const UNANSWERED: readonly Part[] = [
  { text: 'Nobody answered the question of the agent in time, so that the task was canceled.' },
];

/**
 * Ends what nobody else will: turns whose deadline passed, since their process died, become FAILED;
 * tasks that have waited for their caller for a whole retention become CANCELED. Every node may do
 * it at any time: the exact revision makes one of them do it.
 */
export class TaskRecovery {
  constructor(
    private readonly streams: TaskStreams,
    private readonly writer: TaskWriter,
    private readonly directory: TaskDirectory,
    private readonly clock: Clock,
    private readonly newId: NewId,
    /** In milliseconds. */
    private readonly longestWaitMs: number,
    private readonly report: Reporter,
  ) {}

  /** Turns that count as lost now, the oldest first: those that {@link recover} would end. */
  async overdueTasks(limit = BATCH): Promise<readonly StoredTask[]> {
    const overdue: StoredTask[] = [];
    for (const id of this.directory.dueBy(this.clock() - LOST_AFTER_MS, limit)) {
      const fold = await this.#load(id);
      if (fold !== undefined && this.#isLost(fold)) overdue.push(fold);
    }
    return overdue;
  }

  /**
   * Ends all that is lost. A process that dies in the middle, and an `onLost` that throws, leave the
   * rest to the next time; the latter is reported.
   */
  async recover(onLost: OnLostTurn, signal: AbortSignal): Promise<void> {
    for (const task of await this.overdueTasks()) {
      if (signal.aborted) return;
      await this.#attempt(task, async () => {
        await onLost(task);
        await this.#end(task, 'TASK_STATE_FAILED', LOST, (fold) => this.#isLost(fold));
      });
    }
    const since = this.clock() - this.longestWaitMs;
    for (const id of this.directory.waitingSince(since, BATCH)) {
      if (signal.aborted) return;
      const fold = await this.#load(id);
      const isForgotten = (task: TaskFold) => waitsSince(task, since);
      if (fold === undefined || !isForgotten(fold)) continue;
      await this.#attempt(fold, () =>
        this.#end(fold, 'TASK_STATE_CANCELED', UNANSWERED, isForgotten),
      );
    }
  }

  /** What fails with one task stands in the way of no other. */
  async #attempt({ task }: StoredTask, end: () => Promise<void>): Promise<void> {
    try {
      await end();
    } catch (error) {
      this.report('a task could not be recovered', { taskId: task.id, error });
    }
  }

  async #end(
    { task }: StoredTask,
    state: 'TASK_STATE_FAILED' | 'TASK_STATE_CANCELED',
    parts: readonly Part[],
    isStillSo: (fold: TaskFold) => boolean,
  ): Promise<void> {
    const decide = (fold: TaskFold): Result<readonly StoredTaskEvent[], unknown> =>
      isStillSo(fold) ? endTask(fold, state, parts, this.newId) : ok([]);
    await this.writer.change(task.id as Uuid, decide);
  }

  /** Rows of a task that is gone go too. */
  async #load(id: Uuid): Promise<TaskFold | undefined> {
    const fold = (await this.streams.load(id))?.fold;
    if (fold === undefined) this.directory.forget([id]);
    return fold;
  }

  #isLost(fold: TaskFold): boolean {
    const { deadline } = fold;
    return isRunning(fold) && deadline !== null && deadline + LOST_AFTER_MS <= this.clock();
  }
}

/** What waits for an approval is forgotten only long after that could have been given. */
function waitsSince({ task, hold }: TaskFold, moment: number): boolean {
  const { state, timestamp } = task.status;
  return isInterrupted(state) && Math.max(Date.parse(timestamp), hold?.expiresAt ?? 0) <= moment;
}
