import type { FastifyReply, FastifyRequest } from 'fastify';
import { bare, type FramedJson } from '../../http/framed-json.js';
import { isObject, type Json } from '../../kernel/json.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { A2aRefusal } from '../wire/refusal.js';
import { exchange, type A2aServer } from './exchange.js';
import { failureOf } from './failure.js';
import { framedResponse, sendFailure, sendThrown, type Form } from './form.js';
import type { OperationName } from './operations.js';

/** The id of a request, null when it has none that could be read. */
type RpcId = string | number | null;

/** JSON-RPC 2.0 over HTTP (A2A v1.0 section 9): one request in a POST, one answer or a stream of them. */
export function jsonRpcHandler(server: A2aServer) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const body = request.body as Json | undefined;
    const form = rpcForm(idOf(body));
    const fault = envelopeFault(body);
    if (fault !== undefined) {
      sendFailure(reply, form, failureOf(fault));
      return;
    }
    const { method, params } = body as unknown as Envelope;
    await exchange(server, request, reply, form, () => {
      const { operations } = server;
      if (!Object.hasOwn(operations, method)) return NOT_FOUND;
      return ok({ operation: operations[method as OperationName], params });
    });
  };
}

/** What never became a JSON-RPC request is answered as one without an id. */
export function jsonRpcErrorHandler(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  sendThrown(request, reply, rpcForm(null), error);
}

interface Envelope {
  readonly method: string;
  readonly params: Json | undefined;
}

const NOT_FOUND: Result<never, A2aRefusal> = err({
  error: 'MethodNotFound',
  detail: 'A2A 1.0 has no method of this name.',
});

const EMPTY: A2aRefusal = { error: 'ParseError', detail: 'The request has no body.' };

/** What is wrong with the envelope; batches and notifications are, since A2A has neither. */
function envelopeFault(body: Json | undefined): A2aRefusal | undefined {
  if (body === undefined) return EMPTY;
  if (Array.isArray(body)) return invalid('Batches are not served: send one request at a time.');
  if (!isObject(body)) return invalid('A JSON-RPC request is an object.');
  if (body['jsonrpc'] !== '2.0') return invalid('The member jsonrpc must be "2.0".');
  if (body['id'] === undefined) {
    return invalid('Notifications are not served: a request has an id.');
  }
  if (!isId(body['id'])) {
    return invalid('The id must be a string of at most 255 characters, an integer or null.');
  }
  if (typeof body['method'] !== 'string') return invalid('The member method must be a string.');
  const params = body['params'];
  if (params !== undefined && !isObject(params)) return invalid('The params must be an object.');
  return undefined;
}

function invalid(detail: string): A2aRefusal {
  return { error: 'InvalidRequest', detail };
}

function isId(id: Json | undefined): id is RpcId {
  if (typeof id === 'string') return id.length <= 255;
  return id === null || Number.isSafeInteger(id);
}

function idOf(body: Json | undefined): RpcId {
  const id = isObject(body) ? body['id'] : undefined;
  return isId(id) ? id : null;
}

function rpcForm(id: RpcId): Form {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
  const result = ({ before, value, after }: FramedJson): FramedJson => ({
    before: `${head}"result":${before}`,
    value,
    after: `${after}}`,
  });
  return {
    contentType: 'application/json; charset=utf-8',
    result: (value) => result(bare(value)),
    event: (response) => result(framedResponse(response)),
    failure: ({ rpcHttp, code, message, details }) => ({
      status: rpcHttp,
      body: `${head}"error":${JSON.stringify({ code, message, data: details })}}`,
    }),
    // A response object like the others: only its member tells.
    failureEvent: undefined,
  };
}
