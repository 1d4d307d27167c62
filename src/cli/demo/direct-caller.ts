import {
  TaskState,
  taskStateToJSON,
  type AgentCard,
  type StreamResponse,
  type Task,
} from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { isJsonRpcError } from '@a2a-js/sdk/errors';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { ACTIVATED, requestOf, type DirectRequest } from './direct-request.js';
import { connect } from './sdk-client.js';

/** What became of it: its task, or the codes with which it was refused. */
export type DirectOutcome =
  | { readonly kind: 'task'; readonly task: Task; readonly state: string }
  | {
      readonly kind: 'refused';
      readonly code: string;
      /** Why, inside that code; empty when the code says it all. */
      readonly refusal: string;
      readonly message: string;
    };

/** Speaks RFC skill-direct-invoke through the official client, which knows nothing of it. */
export class DirectCaller {
  private constructor(private readonly client: Client) {}

  static async meet(baseUrl: string, token: string): Promise<DirectCaller> {
    return new DirectCaller(await connect(baseUrl, token));
  }

  card(): Promise<AgentCard> {
    return this.client.getAgentCard();
  }

  async invoke(call: DirectRequest): Promise<DirectOutcome> {
    try {
      const result = await this.client.sendMessage(requestOf(call), ACTIVATED);
      if (!('status' in result)) throw new Error('the agent answered without a task');
      return { kind: 'task', task: result, state: stateOf(result.status?.state) };
    } catch (error) {
      if (!isJsonRpcError(error)) throw error;
      return refusalOf(error.message, error.data);
    }
  }

  /** The steps of a call as they come: states of its task, and `artifact`. */
  async *stream(call: DirectRequest): AsyncGenerator<string, undefined> {
    for await (const response of this.client.sendMessageStream(requestOf(call), ACTIVATED)) {
      yield stepOf(response);
    }
  }

  /** What becomes of a task, from its present state on. */
  async *subscribe(id: string): AsyncGenerator<string, undefined> {
    for await (const response of this.client.resubscribeTask({ tenant: '', id })) {
      yield stepOf(response);
    }
  }

  task(id: string): Promise<Task> {
    return this.client.getTask({ tenant: '', id });
  }
}

/** What a task says under the URI of an extension. */
export function saidUnder(uri: string, { metadata }: Task): JsonObject {
  const said = (metadata as JsonObject | undefined)?.[uri];
  return isObject(said) ? said : {};
}

/** The data of a task's first artifact, where RFC section 3.6 has the result. */
export function resultOf({ artifacts }: Task): Json {
  const part = artifacts[0]?.parts[0]?.content;
  return part?.$case === 'data' ? (part.value as Json) : null;
}

function stepOf({ payload }: StreamResponse): string {
  switch (payload?.$case) {
    case 'task':
    case 'statusUpdate':
      return stateOf(payload.value.status?.state);
    case 'artifactUpdate':
      return 'artifact';
    case 'message':
      return 'message';
    case undefined:
      return 'nothing';
  }
}

/** `completed` for TASK_STATE_COMPLETED. */
function stateOf(state = TaskState.TASK_STATE_UNSPECIFIED): string {
  return taskStateToJSON(state)
    .replace(/^TASK_STATE_/, '')
    .toLowerCase();
}

function refusalOf(message: string, details: unknown): DirectOutcome {
  const list = (Array.isArray(details) ? details : []) as readonly Json[];
  const info = list.filter(isObject).find((detail) => 'reason' in detail);
  const metadata = info?.['metadata'];
  const { code, refusal } = isObject(metadata) ? metadata : {};
  return { kind: 'refused', code: textOf(code), refusal: textOf(refusal), message };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
