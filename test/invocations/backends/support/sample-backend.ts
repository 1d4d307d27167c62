import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import { isObject, type Json, type JsonObject } from '../../../../src/kernel/json.js';
import { AUDIENCE, HOSTED, outputFor } from './calls.js';
import { SampleTool } from './sample-tool.js';
import { ISSUER } from './token-keys.js';

/** One request that carried a good token. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly claims: JWTPayload;
  readonly body: JsonObject;
}

export type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A backend as somebody would write it who knows the documentation alone: it verifies the token of every
 * request with the published keys, and does the same under `/http`, `/a2a` (JSON-RPC) and `/mcp`: it
 * answers with whom it was called for, and with what.
 */
export class SampleBackend {
  readonly received: Received[] = [];
  /** Requests that carried no good token. */
  refused = 0;
  /** Answers of the next requests that ask for something, in place of its own: no end of a session takes one. */
  readonly replies: Reply[] = [];
  /** Awaited before it answers for itself. */
  delay: () => Promise<void> = async () => Promise.resolve();
  /** The A2A answer, given what it would say. */
  a2aResult: (output: Json) => Json = (output) => ({ task: completedTask(output) });
  readonly tool: SampleTool;

  private constructor(
    private readonly server: Server,
    private readonly jwks: () => Promise<JSONWebKeySet>,
  ) {
    this.tool = new SampleTool(async () => this.delay());
    server.on('request', (request, response) => {
      this.#serve(request, response).catch(() => {
        this.refused++;
        response.writeHead(401).end();
      });
    });
  }

  static async start(jwks: () => Promise<JSONWebKeySet>): Promise<SampleBackend> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SampleBackend(server, jwks);
  }

  url(path: '/http' | '/a2a' | '/mcp'): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}${path}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const claims = await this.#verify(request);
    const path = request.url ?? '';
    const body = request.method === 'POST' ? ((await json(request)) as JsonObject) : {};
    this.received.push({ path, headers: request.headers, claims, body });
    const reply = request.method === 'POST' ? this.replies.shift() : undefined;
    if (reply !== undefined) {
      reply(request, response);
      return;
    }
    if (path === '/mcp') {
      await this.tool.serve(request, response, body, claims);
      return;
    }
    await this.delay();
    const isA2a = path === '/a2a';
    const output = outputFor(claims, isA2a ? argumentsOf(body) : (body['arguments'] ?? null));
    answer(response, 200, isA2a ? this.#rpc(body, output) : output);
  }

  #rpc({ id = null }: JsonObject, output: Json): Json {
    return { jsonrpc: '2.0', id, result: this.a2aResult(output) };
  }

  /** As docs/capabilities.md tells backends to. */
  async #verify({ headers }: IncomingMessage): Promise<JWTPayload> {
    const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const { payload } = await jwtVerify(token, createLocalJWKSet(await this.jwks()), {
      issuer: ISSUER,
      audience: AUDIENCE,
      typ: 'backend+jwt',
      algorithms: ['EdDSA'],
      requiredClaims: ['exp', 'iat', 'jti', 'act', 'scope', 'invocation_id'],
      maxTokenAge: 60,
      clockTolerance: 5,
    });
    const { act, scope } = payload as { act: Json; scope: string };
    if (!isObject(act) || act['sub'] !== HOSTED) throw new Error('another agent acts');
    if (!scope.split(' ').includes('recon.run')) throw new Error('the scope is missing');
    return payload;
  }
}

/** The data part of the message that an A2A request sends. */
function argumentsOf(body: JsonObject): Json {
  const { message } = body['params'] as { message: { parts: readonly JsonObject[] } };
  return message.parts[0]?.['data'] ?? null;
}

export function completedTask(output: Json, state = 'TASK_STATE_COMPLETED'): JsonObject {
  const parts = [{ text: 'Done.' }, { data: output, mediaType: 'application/json' }];
  return {
    id: randomUUID(),
    contextId: randomUUID(),
    status: { state },
    artifacts: [{ artifactId: 'result', parts }],
  };
}

export function answer(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
