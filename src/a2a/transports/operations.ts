import type { A2aConfig, HostedAgent } from '../../config/hosted-agents.js';
import { tokenMissing } from '../../http/authentication/bearer.js';
import type { Caller } from '../../kernel/caller.js';
import type { Uuid } from '../../kernel/ids.js';
import type { Json } from '../../kernel/json.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { MessageExecution } from '../turns/agent-operations.js';
import { ownerOf } from '../tasks/owner-of.js';
import type { PushConfigs, TaskEvent, Tasks } from '../tasks/port.js';
import { withHistoryLength } from '../wire/history.js';
import type { Read } from '../wire/reading.js';
import type { A2aRefusal } from '../wire/refusal.js';
import * as requests from '../wire/requests.js';
import { isTerminal } from '../wire/types.js';
import type { Call } from './call.js';
import { resumedStream } from './resumed-stream.js';

/** Takes params as sent, undefined for none: reads them, acts, and answers with the message of the method. */
export type Operation =
  | {
      readonly kind: 'unary';
      perform(call: Call, params: Json | undefined): Promise<Result<object, A2aRefusal>>;
    }
  | {
      readonly kind: 'stream';
      perform(
        call: Call,
        params: Json | undefined,
      ): Promise<Result<AsyncIterable<TaskEvent>, A2aRefusal>>;
    };

/** The operations that the operations themselves are made of. */
export interface AgentServices {
  readonly messages: MessageExecution;
  readonly tasks: Pick<Tasks, 'find' | 'list' | 'cancel' | 'watch'>;
  readonly pushConfigs: Pick<PushConfigs, 'set' | 'get' | 'list' | 'delete'>;
  readonly cards: {
    /** @returns the signed card as this caller may see it */
    for(agent: HostedAgent, caller: Caller): Promise<Result<{ readonly card: object }, A2aRefusal>>;
  };
  readonly anonymous: A2aConfig['anonymous'];
}

export type OperationName =
  | 'SendMessage'
  | 'SendStreamingMessage'
  | 'GetTask'
  | 'ListTasks'
  | 'CancelTask'
  | 'SubscribeToTask'
  | 'CreateTaskPushNotificationConfig'
  | 'GetTaskPushNotificationConfig'
  | 'ListTaskPushNotificationConfigs'
  | 'DeleteTaskPushNotificationConfig'
  | 'GetExtendedAgentCard';

export type Operations = Readonly<Record<OperationName, Operation>>;

/**
 * The operations of A2A v1.0 (section 5.3), one for both bindings, by their JSON-RPC names. Every
 * one on a task asks first whether the task is the caller's: a foreign one is an unknown one.
 */
export function createOperations(services: AgentServices): Operations {
  return {
    ...messageOperations(services),
    ...taskOperations(services),
    ...pushConfigOperations(services),
    GetExtendedAgentCard: extendedAgentCard(services),
  };
}

function messageOperations({
  messages,
  tasks,
}: AgentServices): Pick<Operations, 'SendMessage' | 'SendStreamingMessage'> {
  return {
    SendMessage: unary(requests.sendMessageRequest, (call, params) => messages.send(call, params)),

    SendStreamingMessage: stream(requests.sendMessageRequest, async (call, params) => {
      const begun = await messages.stream(call, params);
      if (!begun.ok || call.lastEventId === undefined) return begun;
      return ok(resumedStream(begun.value, call.lastEventId, tasks, call.signal));
    }),
  };
}

function taskOperations({
  tasks,
  anonymous,
}: AgentServices): Pick<Operations, 'GetTask' | 'ListTasks' | 'CancelTask' | 'SubscribeToTask'> {
  return {
    GetTask: unary(requests.getTaskRequest, async (call, { id, historyLength }) => {
      const found = await tasks.find(ownerOf(call.caller, anonymous), call.agent.agentId, id);
      return found.ok ? ok(withHistoryLength(found.value.task, historyLength)) : found;
    }),

    ListTasks: unary(requests.listTasksRequest, (call, params) =>
      tasks.list(ownerOf(call.caller, anonymous), call.agent.agentId, params),
    ),

    CancelTask: unary(requests.cancelTaskRequest, async (call, { id }) => {
      const canceled = await tasks.cancel(ownerOf(call.caller, anonymous), call.agent.agentId, id);
      return canceled.ok ? ok(canceled.value.task) : canceled;
    }),

    SubscribeToTask: stream(requests.subscribeToTaskRequest, async (call, { id }) => {
      const found = await tasks.find(ownerOf(call.caller, anonymous), call.agent.agentId, id);
      if (!found.ok) return found;
      const { task } = found.value;
      // Whoever was cut off gets the rest, also when the task has ended meanwhile.
      if (isTerminal(task.status.state) && call.lastEventId === undefined) return err(ENDED);
      // A task that asks its caller goes on with the next message, on this very stream.
      return ok(tasks.watch(task.id as Uuid, call.lastEventId, call.signal, 'task'));
    }),
  };
}

function pushConfigOperations({
  pushConfigs,
  anonymous,
}: AgentServices): Pick<
  Operations,
  | 'CreateTaskPushNotificationConfig'
  | 'GetTaskPushNotificationConfig'
  | 'ListTaskPushNotificationConfigs'
  | 'DeleteTaskPushNotificationConfig'
> {
  return {
    CreateTaskPushNotificationConfig: unary(requests.createPushConfigRequest, (call, config) => {
      const owner = ownerOf(call.caller, anonymous);
      return pushConfigs.set(owner, call.agent.agentId, config.taskId, config);
    }),

    GetTaskPushNotificationConfig: unary(requests.pushConfigRequest, (call, { taskId, id }) =>
      pushConfigs.get(ownerOf(call.caller, anonymous), call.agent.agentId, taskId, id),
    ),

    ListTaskPushNotificationConfigs: unary(
      requests.listPushConfigsRequest,
      (call, { taskId, ...page }) =>
        pushConfigs.list(ownerOf(call.caller, anonymous), call.agent.agentId, taskId, page),
    ),

    DeleteTaskPushNotificationConfig: unary(
      requests.pushConfigRequest,
      async (call, { taskId, id }) => {
        const owner = ownerOf(call.caller, anonymous);
        const deleted = await pushConfigs.delete(owner, call.agent.agentId, taskId, id);
        return deleted.ok ? ok({}) : deleted;
      },
    ),
  };
}

function extendedAgentCard({ cards }: AgentServices): Operation {
  return unary(requests.getExtendedAgentCardRequest, async (call) => {
    // A2A v1.0 section 13.3: it is for authenticated callers, whatever else anonymous ones may.
    if (call.caller === null) throw tokenMissing();
    const served = await cards.for(call.agent, call.caller);
    return served.ok ? ok(served.value.card) : served;
  });
}

const ENDED: A2aRefusal = {
  error: 'UnsupportedOperation',
  detail: 'The task has ended: there is nothing to subscribe to.',
};

function unary<P>(
  read: Read<P>,
  perform: (call: Call, params: P) => Promise<Result<object, A2aRefusal>>,
): Operation {
  return {
    kind: 'unary',
    perform: async (call, sent) => {
      const params = requests.readRequest(read, sent, call.agent.agentId);
      return params.ok ? await perform(call, params.value) : params;
    },
  };
}

function stream<P>(
  read: Read<P>,
  perform: (call: Call, params: P) => Promise<Result<AsyncIterable<TaskEvent>, A2aRefusal>>,
): Operation {
  return {
    kind: 'stream',
    perform: async (call, sent) => {
      const params = requests.readRequest(read, sent, call.agent.agentId);
      return params.ok ? await perform(call, params.value) : params;
    },
  };
}
