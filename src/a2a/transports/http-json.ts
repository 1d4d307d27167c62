import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RejectionCode } from '../../kernel/rejection.js';
import { RejectionException } from '../../http/rejection-exception.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { A2aRefusal } from '../wire/refusal.js';
import { exchange, type A2aServer, type Asked } from './exchange.js';
import { sendThrown } from './form.js';
import { httpForm } from './http-form.js';
import type { OperationName } from './operations.js';
import { fromBody, fromQuery } from './http-params.js';

type Method = 'GET' | 'POST' | 'DELETE';

/** One operation at one address. */
interface HttpRoute {
  readonly method: Method;
  /** Below the agent's address, in the router's spelling: `::` is a colon. */
  readonly path: string;
  /** What a request asks for; refuses with `MethodNotFound`. */
  readonly ask: (request: FastifyRequest) => Result<Named, A2aRefusal>;
}

interface Named {
  readonly name: OperationName;
  readonly params: Asked['params'];
}

type Path = Readonly<Record<string, string>>;

/**
 * HTTP+JSON (A2A v1.0 section 11.3), by the `google.api.http` rules of the proto file: path
 * parameters, then the body of a POST or the query of the others.
 */
const ROUTES: readonly HttpRoute[] = [
  route('POST', '/message::send', 'SendMessage'),
  route('POST', '/message::stream', 'SendStreamingMessage'),
  route('GET', '/tasks', 'ListTasks'),
  // The router knows no verbs after a parameter, and ids of tasks hold no colon.
  { method: 'GET', path: '/tasks/:id', ask: (request) => askOfTask(request, GET_VERBS) },
  { method: 'POST', path: '/tasks/:id', ask: (request) => askOfTask(request, POST_VERBS) },
  route('POST', '/tasks/:taskId/pushNotificationConfigs', 'CreateTaskPushNotificationConfig'),
  route('GET', '/tasks/:taskId/pushNotificationConfigs', 'ListTaskPushNotificationConfigs'),
  route('GET', '/tasks/:taskId/pushNotificationConfigs/:id', 'GetTaskPushNotificationConfig'),
  route('DELETE', '/tasks/:taskId/pushNotificationConfigs/:id', 'DeleteTaskPushNotificationConfig'),
  route('GET', '/extendedAgentCard', 'GetExtendedAgentCard'),
];

const GET_VERBS: Readonly<Record<string, OperationName>> = {
  '': 'GetTask',
  subscribe: 'SubscribeToTask',
};
const POST_VERBS: Readonly<Record<string, OperationName>> = {
  cancel: 'CancelTask',
  subscribe: 'SubscribeToTask',
};

function route(method: Method, path: string, name: OperationName): HttpRoute {
  return { method, path, ask: (request) => named(name, request, pathOf(request)) };
}

function askOfTask(
  request: FastifyRequest,
  verbs: Readonly<Record<string, OperationName>>,
): Result<Named, A2aRefusal> {
  const path = pathOf(request);
  const [, id = '', verb = ''] = /^([^:]*)(?::(.*))?$/s.exec(path['id'] ?? '') ?? [];
  const name = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (name !== undefined) return named(name, request, { ...path, id });
  return err({ error: 'MethodNotFound', detail: 'Tasks have no such operation.' });
}

function named(
  name: OperationName,
  request: FastifyRequest,
  path: Path,
): Result<Named, A2aRefusal> {
  const params =
    request.method === 'POST' ? fromBody(request.body, path) : fromQuery(request.query, path);
  return params.ok ? ok({ name, params: params.value }) : params;
}

function pathOf(request: FastifyRequest): Path {
  const { agent: _, ...path } = request.params as Path;
  return path;
}

/**
 * Registers the routes below `/:agent`, and once more below `/:agent/:tenant`, the addresses of
 * clients that were told a tenant, which must be the agent.
 */
export function registerHttpJson(scope: FastifyInstance, server: A2aServer, config: object): void {
  for (const prefix of ['/:agent', '/:agent/:tenant']) {
    for (const { method, path, ask } of ROUTES) {
      scope.route({
        method,
        url: `${prefix}${path}`,
        config: { ...config },
        // A HEAD of a stream would run it.
        exposeHeadRoute: false,
        handler: (request, reply) =>
          exchange(server, request, reply, httpForm(request), () => {
            const asked = ask(request);
            if (!asked.ok) return asked;
            const { name, params } = asked.value;
            privateCard(name, reply);
            return ok({ operation: server.operations[name], params });
          }),
      });
    }
  }
}

/** What differs from caller to caller is kept by no shared cache. */
function privateCard(name: OperationName, reply: FastifyReply): void {
  if (name !== 'GetExtendedAgentCard') return;
  reply.headers({ 'cache-control': 'private, no-cache', vary: 'authorization' });
}

/** Refusals of the edge on these routes, in A2A's form. */
export function httpJsonErrorHandler(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  sendThrown(request, reply, httpForm(request), error);
}

/** @param allowed the methods of an address */
export function httpJsonNotFoundHandler(allowed: (path: string) => readonly string[]) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const methods = allowed(request.url.split('?', 1)[0] ?? '');
    const code: RejectionCode = methods.length === 0 ? 'not-found' : 'method-not-allowed';
    const headers: Record<string, string> =
      methods.length === 0 ? {} : { allow: methods.join(', ') };
    sendThrown(request, reply, httpForm(request), new RejectionException({ code }, headers));
  };
}
