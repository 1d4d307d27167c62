import type { AgentId } from '../../kernel/ids.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { id, clientMessage } from './message.js';
import {
  list,
  message,
  optional,
  required,
  type Field,
  type Fields,
  type Rule,
} from './message-shape.js';
import { FAULTY, Reading, type Read } from './reading.js';
import type { A2aRefusal } from './refusal.js';
import * as scalars from './scalars.js';
import {
  TASK_STATES,
  type ListTasksRequest,
  type SendMessageConfiguration,
  type SendMessageRequest,
  type TaskPushNotificationConfig,
} from './types.js';

/** The request messages of `lf.a2a.v1.A2AService`: one reader for each, the same for both bindings. */

export interface TaskRequest {
  readonly id: string;
}

export interface GetTaskRequest extends TaskRequest {
  readonly historyLength?: number;
}

export interface CancelTaskRequest extends TaskRequest {
  readonly metadata?: JsonObject;
}

/** Names one push configuration of a task. */
export interface PushConfigRequest {
  readonly taskId: string;
  readonly id: string;
}

export interface ListPushConfigsRequest {
  readonly taskId: string;
  readonly pageSize?: number;
  readonly pageToken?: string;
}

/** A configuration that names its task. */
export type NewPushConfig = TaskPushNotificationConfig & { readonly taskId: string };

const MAX_INT32 = 2 ** 31 - 1;
const historyLength = optional(scalars.integer(0, MAX_INT32));
const pageToken = optional(scalars.name(2048));

/** Stands in every request, and says nothing that the address does not say; never handed on. */
const tenant: Field<unknown> = optional((value, reading) =>
  value === '' || value === reading.agentId
    ? undefined
    : reading.fault('must be empty or name the agent of this address'),
);

function request<T extends object>(fields: Fields<T>, rule?: Rule<T>): Read<T> {
  const all = { ...fields, tenant };
  return message<T>(all, rule);
}

/** Of a header that the webhook receives: visible ASCII. */
const credential = scalars.matching(
  /^[\x21-\x7e]+( [\x21-\x7e]+)*$/,
  'must be visible ASCII',
  4096,
);
const scheme = scalars.matching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'is not a scheme', 64);

/** It stands in addresses, too. */
const configId = scalars.matching(
  /^[A-Za-z0-9][A-Za-z0-9._:~-]*$/,
  'must be letters, digits or ._:~-',
  128,
);

const pushConfigFields: Fields<TaskPushNotificationConfig> = {
  id: optional(configId),
  taskId: optional(id),
  url: required(scalars.uri(2048)),
  token: optional(credential),
  authentication: optional(
    message<NonNullable<TaskPushNotificationConfig['authentication']>>({
      scheme: required(scheme),
      credentials: optional(credential),
    }),
  ),
};

const configuration = message<SendMessageConfiguration>({
  acceptedOutputModes: optional(list(scalars.mediaRange, 64)),
  taskPushNotificationConfig: optional(request<TaskPushNotificationConfig>(pushConfigFields)),
  historyLength,
  returnImmediately: optional(scalars.flag),
});

export const sendMessageRequest = request<SendMessageRequest>(
  {
    message: required(clientMessage),
    configuration: optional(configuration),
    metadata: optional(scalars.struct),
  },
  (value, reading) => {
    const config = value.configuration?.taskPushNotificationConfig;
    if (config?.taskId === undefined || config.taskId === value.message.taskId) return undefined;
    const path = ['configuration', 'taskPushNotificationConfig', 'taskId'];
    return reading.faultAt(path, "must be empty or the message's own");
  },
);

export const getTaskRequest = request<GetTaskRequest>({ id: required(id), historyLength });

export const cancelTaskRequest = request<CancelTaskRequest>({
  id: required(id),
  metadata: optional(scalars.struct),
});

export const subscribeToTaskRequest = request<TaskRequest>({ id: required(id) });

export const listTasksRequest = request<ListTasksRequest>({
  contextId: optional(id),
  status: optional(scalars.oneOf(TASK_STATES, 'TASK_STATE_UNSPECIFIED')),
  pageSize: optional(scalars.integer(1, 100)),
  pageToken,
  historyLength,
  statusTimestampAfter: optional(scalars.lowerBound),
  includeArtifacts: optional(scalars.flag),
});

export const createPushConfigRequest = request<NewPushConfig>({
  ...pushConfigFields,
  taskId: required(id),
});

export const pushConfigRequest = request<PushConfigRequest>({
  taskId: required(id),
  id: required(id),
});

export const listPushConfigsRequest = request<ListPushConfigsRequest>({
  taskId: required(id),
  pageSize: optional(scalars.integerOrZero(100)),
  pageToken,
});

export const getExtendedAgentCardRequest = request<object>({});

/**
 * The params of a request to an agent, undefined for none.
 * Refuses with `InvalidParams` and the faults.
 */
export function readRequest<T>(
  read: Read<T>,
  params: Json | undefined,
  agentId: AgentId,
): Result<T, A2aRefusal> {
  const reading = new Reading(agentId);
  const value = read(params ?? {}, reading);
  if (value !== undefined && value !== FAULTY) return ok(value);
  const { faults } = reading;
  return err({ error: 'InvalidParams', detail: 'The params are not well-formed.', faults });
}
