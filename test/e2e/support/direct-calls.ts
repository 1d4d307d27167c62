import type { JsonObject } from '../../../src/kernel/json.js';
import {
  jsonRpc,
  saying,
  type Ask,
  type Binding,
  type Reply,
} from '../../a2a/transports/support/bindings.js';
import { DIRECT_URI, TRUST_URI } from '../../capabilities/support/extensions.js';
import type { Answer, TestService } from '../../support/service.js';
import { playing } from './script.js';

/** What a call is sent with, besides skill and arguments. */
export interface CallMore {
  /** Members of the payload, beside or instead of the usual ones. */
  readonly payload?: JsonObject;
  /** Members of the message. */
  readonly message?: JsonObject;
  /** Of the request. */
  readonly configuration?: JsonObject;
  /** The contract that the message names. */
  readonly contract?: JsonObject;
}

/** Params of a message that invokes a skill directly, under a message id of its own. */
export function invoking(skillId: string, args: JsonObject, more: CallMore = {}): JsonObject {
  const { payload, message, configuration, contract } = more;
  const said = { callId: 'call-1', skillId, arguments: args, bypassModel: true, ...payload };
  const metadata = {
    [DIRECT_URI]: said,
    ...(contract === undefined ? {} : { [TRUST_URI]: contract }),
  };
  return {
    ...saying('Please.', { extensions: [DIRECT_URI], metadata, ...message }),
    ...(configuration === undefined ? {} : { configuration }),
  };
}

/** Somebody with a token, and the hosted agent that it calls. */
export class AgentClient {
  constructor(
    private readonly service: TestService,
    private readonly agentId: string,
    readonly token: string | undefined,
    readonly binding: Binding = jsonRpc,
  ) {}

  /** `sub` of its token. */
  get principal(): string {
    const payload = String(this.token).split('.')[1] ?? '';
    return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string }).sub;
  }

  over(binding: Binding): AgentClient {
    return new AgentClient(this.service, this.agentId, this.token, binding);
  }

  /** The same caller at another node. */
  at(service: TestService): AgentClient {
    return new AgentClient(service, this.agentId, this.token, this.binding);
  }

  ask(
    operation: Parameters<Binding['call']>[1],
    params: JsonObject,
    more: Omit<Ask, 'token'> = {},
  ): Promise<Reply> {
    const { token } = this;
    const agentUrl = `${this.service.url}/a2a/${this.agentId}`;
    return this.binding.call(agentUrl, operation, params, { token, ...more });
  }

  /** Sends params that activate the extension. */
  send(
    params: JsonObject,
    operation: 'SendMessage' | 'SendStreamingMessage' = 'SendMessage',
  ): Promise<Reply> {
    return this.ask(operation, params, { headers: { 'a2a-extensions': DIRECT_URI } });
  }

  invoke(skillId: string, args: JsonObject, more: CallMore = {}): Promise<Reply> {
    return this.send(invoking(skillId, args, more));
  }

  /** An ordinary message that prefers a skill, which completes at once; with a text part beside. */
  route(skillId: string, contract?: JsonObject, text = 'Please.'): Promise<Reply> {
    const metadata = { skillId, ...(contract === undefined ? {} : { [TRUST_URI]: contract }) };
    const params = playing(['completed'], { metadata });
    const message = params['message'] as { parts: readonly JsonObject[] };
    const parts = [...message.parts, { text }];
    return this.ask('SendMessage', { ...params, message: { ...message, parts } });
  }

  async stateOf(id: string): Promise<string> {
    return stateIn((await this.ask('GetTask', { id })).result);
  }

  explain(skillId: string, more: JsonObject = {}): Promise<Answer> {
    const { agentId, token } = this;
    const body = { agentId, skillId, ...more };
    const path = '/v1/authorizations/explain';
    return this.service.call('POST', path, { ...(token === undefined ? {} : { token }), body });
  }
}

export function stateIn(task: JsonObject | undefined): string {
  const status = task?.['status'] as JsonObject | undefined;
  return String(status?.['state']).replace('TASK_STATE_', '');
}

/** The data of the first part of the first artifact of an answer's task. */
export function dataOf({ result, text }: Reply): JsonObject {
  const task = result?.['task'] as
    { artifacts?: readonly { parts: readonly JsonObject[] }[] } | undefined;
  const data = task?.artifacts?.[0]?.parts[0]?.['data'];
  if (data === undefined) throw new Error(`no data in ${text}`);
  return data as JsonObject;
}

/**
 * What came of a call in a word or two: the state of its task, or the code of its refusal without the
 * extension's prefix, and the inner code if there is one.
 */
export function outcomeOf({ result, error, text }: Reply): string {
  if (error === undefined) {
    const task = result?.['task'] as JsonObject | undefined;
    if (task === undefined) throw new Error(`neither task nor error: ${text}`);
    return stateIn(task);
  }
  const { reason, metadata } = error;
  if (!reason.startsWith(PREFIX)) return String(metadata['code'] ?? reason);
  const { refusal } = metadata;
  return reason.slice(PREFIX.length) + (refusal === undefined ? '' : ` ${String(refusal)}`);
}

const PREFIX = 'SKILL_DIRECT_INVOKE_';
