import { randomUUID } from 'node:crypto';
import { MessageExecution, type A2aRequest } from '../../../../src/a2a/turns/agent-operations.js';
import { ownerOf } from '../../../../src/a2a/tasks/owner-of.js';
import type { StoredTask } from '../../../../src/a2a/tasks/domain/task.js';
import type { TaskEvent } from '../../../../src/a2a/tasks/port.js';
import { withHistoryLength } from '../../../../src/a2a/wire/history.js';
import type { A2aRefusal } from '../../../../src/a2a/wire/refusal.js';
import {
  isTerminal,
  type SendMessageRequest,
  type SendMessageResponse,
} from '../../../../src/a2a/wire/types.js';
import type { A2aConfig } from '../../../../src/config/hosted-agents.js';
import type { Uuid } from '../../../../src/kernel/ids.js';
import { err, ok, type Result } from '../../../../src/kernel/result.js';
import type { MemoryTasks } from './memory-tasks.js';

/** What no answer may show. */
export const SECRET = 'SQLITE_CONSTRAINT at /srv/secret.ts';

/**
 * Does what the first text says: `wait` keeps on working, `ask` wants input, `message` answers
 * without a task, `fault` and `late fault` throw, `refuse` is refused; everything else is echoed as
 * an artifact of a completed task.
 */
export class MemoryMessages extends MessageExecution {
  /** Requests as they arrived. */
  readonly received: { request: A2aRequest; params: SendMessageRequest }[] = [];

  constructor(
    private readonly tasks: MemoryTasks,
    private readonly anonymous: A2aConfig['anonymous'],
  ) {
    super();
  }

  async send(
    request: A2aRequest,
    params: SendMessageRequest,
  ): Promise<Result<SendMessageResponse, A2aRefusal>> {
    const text = this.#take(request, params);
    if (text === 'message') {
      return ok({
        message: { messageId: randomUUID(), role: 'ROLE_AGENT', parts: params.message.parts },
      });
    }
    const begun = await this.#begin(request, params);
    if (!begun.ok) return begun;
    const { task } = this.#act(begun.value.task.id, text);
    return ok({ task: withHistoryLength(task, params.configuration?.historyLength) });
  }

  async stream(
    request: A2aRequest,
    params: SendMessageRequest,
  ): Promise<Result<AsyncIterable<TaskEvent>, A2aRefusal>> {
    const text = this.#take(request, params);
    const begun = await this.#begin(request, params);
    if (!begun.ok) return begun;
    const { task, revision } = begun.value;
    this.#act(task.id, text);
    return ok(this.#events(begun.value, revision, text, request.signal));
  }

  async *#events(
    { task }: StoredTask,
    revision: number,
    text: string,
    signal: AbortSignal,
  ): AsyncGenerator<TaskEvent, undefined> {
    yield { id: String(revision), response: { task } };
    if (text === 'late fault') throw new Error(SECRET);
    yield* this.tasks.watch(task.id as Uuid, revision, signal);
  }

  #take(request: A2aRequest, params: SendMessageRequest): string {
    this.received.push({ request, params });
    const text = params.message.parts[0]?.text ?? '';
    if (text === 'fault') throw new Error(SECRET);
    return text;
  }

  async #begin(
    request: A2aRequest,
    { message }: SendMessageRequest,
  ): Promise<Result<StoredTask, A2aRefusal>> {
    const owner = ownerOf(request.caller, this.anonymous);
    const { agentId } = request.agent;
    if (message.parts[0]?.text === 'refuse') {
      return err({
        error: 'ContentTypeNotSupported',
        detail: 'No skill takes this.',
        code: 'no-skill-takes-it',
        metadata: { mediaType: 'text/plain' },
      });
    }
    if (message.taskId === undefined) return ok(this.tasks.begin(owner, agentId, message));
    const found = await this.tasks.find(owner, agentId, message.taskId);
    if (found.ok && isTerminal(found.value.task.status.state)) {
      return err({ error: 'UnsupportedOperation', detail: 'The task has ended.' });
    }
    return found;
  }

  #act(id: string, text: string): StoredTask {
    const working = this.tasks.status(id, 'TASK_STATE_WORKING');
    if (text === 'wait' || text === 'late fault') return working;
    if (text === 'ask') return this.tasks.status(id, 'TASK_STATE_INPUT_REQUIRED');
    this.tasks.artifact(id, text);
    return this.tasks.status(id, 'TASK_STATE_COMPLETED');
  }
}
