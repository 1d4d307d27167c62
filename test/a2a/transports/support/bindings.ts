import type { OperationName } from '../../../../src/a2a/transports/operations.js';
import type { Json, JsonObject } from '../../../../src/kernel/json.js';

/** Either binding's answer, in the words of both. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Of an operation that is no stream. */
  readonly result?: JsonObject;
  readonly error?: {
    /** `reason` of the ErrorInfo. */
    readonly reason: string;
    readonly domain: string;
    readonly message: string;
    readonly metadata: JsonObject;
    readonly violations: readonly { readonly field: string; readonly description: string }[];
    /** JSON-RPC's code, HTTP+JSON's status name. */
    readonly code: number | string;
  };
  readonly events?: readonly { readonly id: string; readonly response: JsonObject }[];
  readonly text: string;
}

export interface Ask {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Leaves a stream after so many events. */
  readonly take?: number;
  /** Called at each event of a stream. */
  readonly onEvent?: () => void;
}

export interface Binding {
  readonly name: string;
  call(agentUrl: string, operation: OperationName, params: JsonObject, ask?: Ask): Promise<Reply>;
}

export const jsonRpc: Binding = {
  name: 'JSON-RPC',
  async call(agentUrl, method, params, ask = {}) {
    const answer = await fetch(agentUrl, {
      method: 'POST',
      headers: headersOf(ask),
      body: JSON.stringify({ jsonrpc: '2.0', id: 'r-1', method, params }),
    });
    return read(answer, ask, (body) => {
      const { result, error } = body;
      if (body['jsonrpc'] !== '2.0') throw new Error(`no JSON-RPC: ${JSON.stringify(body)}`);
      return { result, error, details: (error as JsonObject | undefined)?.['data'] };
    });
  },
};

export const httpJson: Binding = {
  name: 'HTTP+JSON',
  async call(agentUrl, operation, params, ask = {}) {
    const { method, path, rest } = addressOf(operation, params);
    const query = new URLSearchParams(
      Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const hasBody = method === 'POST';
    const target = hasBody || query.size === 0 ? path : `${path}?${query.toString()}`;
    const answer = await fetch(`${agentUrl}${target}`, {
      method,
      headers: headersOf(ask),
      ...(hasBody ? { body: JSON.stringify(rest) } : {}),
    });
    return read(answer, ask, (body) =>
      'error' in body
        ? { error: body['error'], details: (body['error'] as JsonObject)['details'] }
        : { result: body },
    );
  },
};

export const BINDINGS = [jsonRpc, httpJson];

function headersOf({ token, headers = {} }: Ask): Record<string, string> {
  return {
    'content-type': 'application/json',
    'a2a-version': '1.0',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  };
}

function addressOf(
  operation: OperationName,
  params: JsonObject,
): { method: string; path: string; rest: JsonObject } {
  const { id, taskId, ...others } = params;
  const task = `/tasks/${encodeURIComponent(String(id))}`;
  const configs = `/tasks/${encodeURIComponent(String(taskId))}/pushNotificationConfigs`;
  const config = `${configs}/${encodeURIComponent(String(id))}`;
  const ofConfig = id === undefined ? others : { ...others, id };
  const addresses = {
    SendMessage: { method: 'POST', path: '/message:send', rest: params },
    SendStreamingMessage: { method: 'POST', path: '/message:stream', rest: params },
    GetTask: { method: 'GET', path: task, rest: others },
    ListTasks: { method: 'GET', path: '/tasks', rest: params },
    CancelTask: { method: 'POST', path: `${task}:cancel`, rest: others },
    SubscribeToTask: { method: 'GET', path: `${task}:subscribe`, rest: others },
    CreateTaskPushNotificationConfig: { method: 'POST', path: configs, rest: ofConfig },
    ListTaskPushNotificationConfigs: { method: 'GET', path: configs, rest: ofConfig },
    GetTaskPushNotificationConfig: { method: 'GET', path: config, rest: others },
    DeleteTaskPushNotificationConfig: { method: 'DELETE', path: config, rest: others },
    GetExtendedAgentCard: { method: 'GET', path: '/extendedAgentCard', rest: params },
  };
  return addresses[operation];
}

type Unwrap = (body: JsonObject) => {
  readonly result?: Json | undefined;
  readonly error?: Json | undefined;
  readonly details?: Json | undefined;
};

async function read(answer: Response, ask: Ask, unwrap: Unwrap): Promise<Reply> {
  const head = { status: answer.status, headers: answer.headers };
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') === true) {
    const { events, failure, text } = await readEvents(answer, ask, unwrap);
    return { ...head, text, events, ...(failure === undefined ? {} : { error: failure }) };
  }
  const text = await answer.text();
  const { result, error, details } = unwrap(JSON.parse(text) as JsonObject);
  if (error !== undefined) return { ...head, text, error: errorOf(error, details) };
  return { ...head, text, result: result as JsonObject };
}

function errorOf(error: Json, details: Json | undefined): NonNullable<Reply['error']> {
  const { code, status, message } = error as JsonObject;
  const [info, badRequest] = details as readonly JsonObject[];
  return {
    reason: String(info?.['reason']),
    domain: String(info?.['domain']),
    message: String(message),
    metadata: (info?.['metadata'] ?? {}) as JsonObject,
    violations: (badRequest?.['fieldViolations'] ?? []) as never,
    code: (status ?? code) as string | number,
  };
}

async function readEvents(
  answer: Response,
  { take = Infinity, onEvent }: Ask,
  unwrap: Unwrap,
): Promise<{
  events: NonNullable<Reply['events']>;
  failure?: NonNullable<Reply['error']>;
  text: string;
}> {
  const events: { id: string; response: JsonObject }[] = [];
  let text = '';
  let pending = '';
  if (answer.body === null) return { events, text };
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    pending += chunk;
    const blocks = pending.split('\n\n');
    pending = blocks.pop() ?? '';
    for (const block of blocks.filter((each) => !each.startsWith(':'))) {
      const fields = new Map(
        block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]),
      );
      const body = unwrap(JSON.parse(fields.get('data') ?? '') as JsonObject);
      if (body.error !== undefined)
        return { events, text, failure: errorOf(body.error, body.details) };
      events.push({ id: fields.get('id') ?? '', response: body.result as JsonObject });
      onEvent?.();
      if (events.length >= take) return { events, text };
    }
  }
  return { events, text };
}

let count = 0;

/** Params of a message with one text part, under an id of its own. */
export function saying(text: string, more: JsonObject = {}): JsonObject {
  count++;
  const messageId = `message-${String(count)}-${Math.random().toString(36).slice(2)}`;
  return { message: { messageId, role: 'ROLE_USER', parts: [{ text }], ...more } };
}

/** The id of the task that an answer holds. */
export function taskIdOf({ result, events, text }: Reply): string {
  const holder = result ?? events?.[0]?.response;
  const task = holder?.['task'] as JsonObject | undefined;
  if (typeof task?.['id'] !== 'string') throw new Error(`no task in ${text}`);
  return task['id'];
}
