import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { JWTPayload } from 'jose';
import type { Json, JsonObject } from '../../../../src/kernel/json.js';
import { outputFor } from './calls.js';

interface Session {
  readonly transport: StreamableHTTPServerTransport;
  /** The token that began it; no other may go on with it. */
  readonly token: string | undefined;
}

/** The MCP half of the sample: one tool, `reconcile`, over sessions that belong to their tokens. */
export class SampleTool {
  /** Streams its answers as events, or answers with JSON documents. */
  streams = true;
  /** The tool's result, given what it would say. */
  result: (output: JsonObject) => CallToolResult = (output) => ({
    content: [],
    structuredContent: output,
  });
  /** In place of the end of a session that is asked for. */
  ending: ((response: ServerResponse) => void) | undefined;
  readonly #sessions = new Map<string, Session>();

  constructor(private readonly delay: () => Promise<void>) {}

  get openSessions(): number {
    return this.#sessions.size;
  }

  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    body: JsonObject,
    claims: JWTPayload,
  ): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? this.#sessions.get(id) : await this.#begin(claims);
    if (session?.token !== claims.jti) throw new Error('the session is somebody else’s');
    if (request.method === 'DELETE' && this.ending !== undefined) {
      this.ending(response);
      return;
    }
    await session?.transport.handleRequest(request, response, body);
  }

  async #begin(claims: JWTPayload): Promise<Session> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: !this.streams,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, session);
      },
      onsessionclosed: (id) => {
        this.#sessions.delete(id);
      },
    });
    const session: Session = { transport, token: claims.jti };
    const mcp = new McpServer({ name: 'sample', version: '1' }, { capabilities: { tools: {} } });
    mcp.server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      if (params.name !== 'reconcile') throw new Error('no such tool');
      await this.delay();
      return this.result(outputFor(claims, (params.arguments ?? null) as Json));
    });
    await mcp.connect(transport);
    return session;
  }
}
