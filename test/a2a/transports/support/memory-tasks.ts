import { randomUUID } from 'node:crypto';
import type { StoredTask, TaskOwner } from '../../../../src/a2a/tasks/domain/task.js';
import type { TaskEvent, WatchedSpan } from '../../../../src/a2a/tasks/port.js';
import type { A2aRefusal } from '../../../../src/a2a/wire/refusal.js';
import { withHistoryLength } from '../../../../src/a2a/wire/history.js';
import {
  isInterrupted,
  isTerminal,
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  type StreamResponse,
  type Task,
  type TaskState,
} from '../../../../src/a2a/wire/types.js';
import type { AgentId, Uuid } from '../../../../src/kernel/ids.js';
import { err, ok, type Result } from '../../../../src/kernel/result.js';

const NOT_FOUND: A2aRefusal = { error: 'TaskNotFound', detail: 'There is no such task.' };

interface Kept {
  stored: StoredTask;
  readonly events: TaskEvent[];
}

/** Tasks in memory, with the semantics of the port as far as the bindings see them. */
export class MemoryTasks {
  readonly #tasks = new Map<string, Kept>();
  readonly #bells = new Set<() => void>();
  /** Of watchers that have not ended. */
  watching = 0;

  begin(owner: TaskOwner, agentId: AgentId, message: Message): StoredTask {
    const id = randomUUID();
    const task: Task = {
      id,
      contextId: message.contextId ?? randomUUID(),
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: new Date().toISOString() },
      history: [{ ...message, taskId: id }],
    };
    const stored: StoredTask = {
      task,
      agentId,
      owner,
      binding: null,
      routing: null,
      deadline: null,
      hold: null,
      answer: null,
      isShown: false,
      messages: new Map(),
      revision: 0,
    };
    this.#tasks.set(id, { stored, events: [] });
    return stored;
  }

  /** Adds what a handler says; the task as it stands then. */
  add(id: string, change: (task: Task) => { task: Task; response: StreamResponse }): StoredTask {
    const kept = this.#tasks.get(id);
    if (kept === undefined) throw new Error('no such task');
    const { task, response } = change(kept.stored.task);
    const revision = kept.stored.revision + 1;
    kept.stored = { ...kept.stored, task, revision };
    kept.events.push({ id: String(revision), response });
    for (const ring of this.#bells) ring();
    return kept.stored;
  }

  status(id: string, state: TaskState): StoredTask {
    return this.add(id, (task) => {
      const status = { state, timestamp: new Date().toISOString() };
      const { id: taskId, contextId } = task;
      return {
        task: { ...task, status },
        response: { statusUpdate: { taskId, contextId, status } },
      };
    });
  }

  artifact(id: string, text: string): StoredTask {
    return this.add(id, (task) => {
      const artifact = { artifactId: randomUUID(), parts: [{ text }] };
      const { id: taskId, contextId, artifacts = [] } = task;
      return {
        task: { ...task, artifacts: [...artifacts, artifact] },
        response: { artifactUpdate: { taskId, contextId, artifact } },
      };
    });
  }

  async find(
    owner: TaskOwner,
    agentId: AgentId,
    id: string,
  ): Promise<Result<StoredTask, A2aRefusal>> {
    const stored = this.#tasks.get(id)?.stored;
    const isTheirs =
      stored?.agentId === agentId && JSON.stringify(stored.owner) === JSON.stringify(owner);
    return Promise.resolve(isTheirs ? ok(stored) : err(NOT_FOUND));
  }

  async cancel(
    owner: TaskOwner,
    agentId: AgentId,
    id: string,
  ): Promise<Result<StoredTask, A2aRefusal>> {
    const found = await this.find(owner, agentId, id);
    if (!found.ok || found.value.task.status.state === 'TASK_STATE_CANCELED') return found;
    if (isTerminal(found.value.task.status.state)) {
      return err({ error: 'TaskNotCancelable', detail: 'The task has ended.' });
    }
    return ok(this.status(id, 'TASK_STATE_CANCELED'));
  }

  async list(
    owner: TaskOwner,
    agentId: AgentId,
    request: ListTasksRequest,
  ): Promise<Result<ListTasksResponse, A2aRefusal>> {
    if (owner.kind === 'anonymous' && owner.sharing === 'secret') {
      return ok({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
    }
    const all = [...this.#tasks.values()]
      .map(({ stored }) => stored)
      .filter((each) => each.agentId === agentId)
      .filter((each) => JSON.stringify(each.owner) === JSON.stringify(owner))
      .filter(({ task }) => (request.status ?? task.status.state) === task.status.state)
      .filter(({ task }) => (request.contextId ?? task.contextId) === task.contextId);
    const start = Number(request.pageToken ?? 0);
    const pageSize = request.pageSize ?? 50;
    const tasks = all.slice(start, start + pageSize).map(({ task }) => {
      const { artifacts, ...rest } = withHistoryLength(task, request.historyLength);
      return request.includeArtifacts === true ? { ...rest, artifacts: artifacts ?? [] } : rest;
    });
    const next = start + pageSize;
    const nextPageToken = next < all.length ? String(next) : '';
    return Promise.resolve(ok({ tasks, nextPageToken, pageSize, totalSize: all.length }));
  }

  async *watch(
    id: Uuid,
    after: number | undefined,
    signal: AbortSignal,
    until: WatchedSpan = 'turn',
  ): AsyncGenerator<TaskEvent, undefined> {
    const kept = this.#tasks.get(id);
    if (kept === undefined) return;
    this.watching++;
    try {
      if (after === undefined) {
        const { task, revision } = kept.stored;
        yield { id: String(revision), response: { task } };
      }
      let last = after ?? kept.stored.revision;
      while (!signal.aborted) {
        for (const event of kept.events.filter((each) => Number(each.id) > last)) {
          last = Number(event.id);
          yield event;
        }
        const { state } = kept.stored.task.status;
        const isOver = isTerminal(state) || (until === 'turn' && isInterrupted(state));
        if (last >= kept.stored.revision && isOver) return;
        await this.#news(signal);
      }
    } finally {
      this.watching--;
    }
  }

  async #news(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const ring = (): void => {
        this.#bells.delete(ring);
        resolve();
      };
      this.#bells.add(ring);
      signal.addEventListener('abort', ring, { once: true });
    });
  }
}
