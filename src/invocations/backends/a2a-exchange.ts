import { AgentCard, Role, TaskState, type Part, type SendMessageRequest } from '@a2a-js/sdk';
import { JsonRpcTransportFactory, ServiceParameters, withA2AVersion } from '@a2a-js/sdk/client';
import type { Json } from '../../kernel/json.js';
import type { BackendCall } from '../commands/backends.js';
import { AttemptFault } from './attempt-fault.js';
import type { Exchange } from './exchange.js';
import { outputOf } from './output.js';

const VERSION = '1.0';

/** The address is fixed, so nobody's card is asked where to send the call. */
const NO_CARD = AgentCard.fromJSON({});

/** Agents were asked to answer when the task has ended; what one begins it may yet do. */
const AT_WORK: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_SUBMITTED,
  TaskState.TASK_STATE_WORKING,
]);

/**
 * Sends the arguments as a data part of one message (A2A 1.0, JSON-RPC) whose id is the invocation's,
 * so that agents recognise a repetition. The output is the first data part of the first artifact of a
 * completed task, or of a message; whatever else an agent answers is a failure.
 */
export const a2aExchange: Exchange = async (call, guard) => {
  const factory = new JsonRpcTransportFactory({ fetchImpl: guard.fetch });
  const transport = await factory.create(guard.url, NO_CARD);
  const answer = await transport.sendMessage(requestOf(call), {
    signal: guard.signal,
    serviceParameters: ServiceParameters.create(withA2AVersion(VERSION)),
  });
  if (!('status' in answer)) return dataOf(answer.parts);
  const state = answer.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
  if (state !== TaskState.TASK_STATE_COMPLETED) {
    const kind = AT_WORK.has(state) ? 'unfinished' : 'answered';
    throw new AttemptFault(kind, `the agent's task is ${TaskState[state]}`);
  }
  return dataOf(answer.artifacts[0]?.parts ?? []);
};

function requestOf({ arguments: args, invocationId }: BackendCall): SendMessageRequest {
  return {
    tenant: '',
    metadata: undefined,
    message: {
      messageId: invocationId,
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: 'data', value: args },
          mediaType: 'application/json',
          filename: '',
          metadata: undefined,
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes: ['application/json'],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
    },
  };
}

function dataOf(parts: readonly Part[]): Json {
  for (const { content } of parts) {
    if (content?.$case !== 'data') continue;
    const output = outputOf(content.value);
    if (output.ok) return output.value;
    throw new AttemptFault('answered', output.error);
  }
  throw new AttemptFault('answered', 'the agent answered without a data part');
}
