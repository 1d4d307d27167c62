import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  JSONRPCRequestSchema,
  JSONRPCResponseSchema,
  type CallToolResult,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import type { Json } from '../../kernel/json.js';
import { err, type Result } from '../../kernel/result.js';
import { AttemptFault } from './attempt-fault.js';
import type { Exchange } from './exchange.js';
import type { GuardedExchange } from './guarded-exchange.js';
import { outputOf, parseOutput } from './output.js';

/** Longer than any attempt: the guard's signal ends it. */
const NEVER_MS = 2 ** 31 - 1;

const CLIENT = { name: 'countersign', version: '1' };

const NO_RECONNECTION = {
  initialReconnectionDelay: 0,
  maxReconnectionDelay: 0,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 0,
};

/**
 * Calls one tool of an MCP server (Streamable HTTP) with the arguments. The output is the result's
 * `structuredContent`, without one the JSON that its only text is. Every attempt has a connection and
 * a session of its own: a session belongs to whom its token names, and is nobody else's.
 */
export function mcpExchange(tool: string): Exchange {
  return async (call, guard) => {
    const client = new Client(CLIENT);
    const transport = new StreamableHTTPClientTransport(new URL(guard.url), {
      fetch: withoutListening(guard),
      reconnectionOptions: NO_RECONNECTION,
    });
    const options = { signal: guard.signal, timeout: NEVER_MS };
    try {
      await client.connect(transport, options);
      const params = { name: tool, arguments: { ...call.arguments } };
      const result = await client.request(
        { method: 'tools/call', params },
        CallToolResultSchema,
        options,
      );
      const output = outputOfTool(result);
      if (output.ok) return output.value;
      throw new AttemptFault('answered', output.error);
    } finally {
      // Nobody waits for the end of the session; the end of the attempt's time ends it as well.
      guard.outliving(
        transport
          .terminateSession()
          .catch(() => undefined)
          .then(async () => await client.close()),
      );
    }
  };
}

/** A server has nothing to say besides its answers: its stream of messages is never opened. */
function withoutListening(guard: GuardedExchange): typeof fetch {
  return async (input, init) => {
    if (init?.method === 'GET') return new Response(null, { status: 405 });
    const id = requestIdOf(init?.body);
    if (id === undefined) return await guard.fetchNothing(input, init);
    return await guard.fetchAnswer((document) => answers(document, id))(input, init);
  };
}

/** Undefined: it is no request, and has no answer. */
function requestIdOf(body: RequestInit['body']): RequestId | undefined {
  if (typeof body !== 'string') return undefined;
  const message = JSONRPCRequestSchema.safeParse(JSON.parse(body));
  return message.success ? message.data.id : undefined;
}

/** Is it, or holds it, what the client waits for, by the client's own measure? It overlooks all else. */
function answers(document: Json, id: RequestId): boolean {
  return [document].flat().some((each) => {
    const response = JSONRPCResponseSchema.safeParse(each);
    return response.success && Number(response.data.id) === Number(id);
  });
}

function outputOfTool(result: CallToolResult): Result<Json, string> {
  const { isError = false, structuredContent, content } = result;
  if (isError) return err('the tool reports an error');
  if (structuredContent !== undefined) return outputOf(structuredContent);
  const [only] = content;
  if (content.length !== 1 || only?.type !== 'text') {
    return err('the tool answered with neither structured content nor one text');
  }
  return parseOutput(Buffer.from(only.text));
}
