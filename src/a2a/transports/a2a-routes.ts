import type { FastifyInstance } from 'fastify';
import type { A2aConfig } from '../../config/hosted-agents.js';
import { ROUTE_ACCESS, type RouteAccess } from '../../http/access.js';
import { EVENT_STREAM_TIMING, type EventStreamTiming } from '../../http/event-stream.js';
import { registerJsonBody } from '../../http/json-body.js';
import { OpenStreams, type StreamLimits } from '../../http/open-streams.js';
import type { UnreadAnswers } from '../../http/unread-answers.js';
import { MAX_VALUES, type StrictJsonLimits } from '../../kernel/strict-json.js';
import { nameExtensions, type A2aServer, type Negotiation } from './exchange.js';
import { httpJsonErrorHandler, httpJsonNotFoundHandler, registerHttpJson } from './http-json.js';
import { jsonRpcErrorHandler, jsonRpcHandler } from './json-rpc.js';
import { createOperations, type AgentServices } from './operations.js';

/** Requests carry files, so they may be larger than documents that are signed. */
const A2A_JSON_LIMITS: StrictJsonLimits = {
  maxBytes: 4 * 1024 * 1024,
  maxDepth: 64,
  maxValues: MAX_VALUES,
};

const STREAM_LIMITS: StreamLimits = { perNode: 4000, perTenant: 2000, perOwner: 400 };

export interface A2aRoutesOptions {
  readonly config: Pick<A2aConfig, 'agents' | 'anonymous'>;
  readonly services: Omit<AgentServices, 'anonymous'>;
  readonly negotiation: Negotiation;
  /** The methods of an address. */
  readonly allowed: (path: string) => readonly string[];
  readonly answers: Pick<UnreadAnswers, 'text'>;
  readonly timing?: EventStreamTiming;
  readonly streams?: StreamLimits;
}

/**
 * The two bindings of A2A v1.0 for every hosted agent: JSON-RPC at `POST /a2a/<agent>`, HTTP+JSON
 * below it. Registered at the server itself, since a request needs nothing that a controller would
 * add. Its own scope: larger bodies, and refusals of the edge in A2A's form.
 *
 * A token is optional where the deployment lets anonymous callers in; a bad one never is.
 */
export async function registerA2aRoutes(
  fastify: FastifyInstance,
  {
    config,
    services,
    negotiation,
    allowed,
    answers,
    timing = EVENT_STREAM_TIMING,
    streams = STREAM_LIMITS,
  }: A2aRoutesOptions,
): Promise<void> {
  const server: A2aServer = {
    agents: new Map(config.agents.map((agent) => [agent.agentId, agent])),
    operations: createOperations({ ...services, anonymous: config.anonymous }),
    negotiation,
    streams: new OpenStreams(streams),
    answers,
    timing,
  };
  const access: RouteAccess = config.anonymous === 'refused' ? {} : { optional: true };
  // A server waits for its connections before it closes, and a stream has no end of its own.
  fastify.addHook('preClose', (done) => {
    server.streams.end();
    done();
  });
  await fastify.register(
    (scope, _options, done) => {
      registerJsonBody(scope, {
        mediaTypes: ['application/json', 'application/a2a+json'],
        limits: A2A_JSON_LIMITS,
      });
      scope.addHook('onRequest', (request, reply, next) => {
        nameExtensions(server, request, reply);
        next();
      });
      scope.setErrorHandler(httpJsonErrorHandler);
      scope.setNotFoundHandler(httpJsonNotFoundHandler(allowed));
      scope.post('/:agent', {
        config: { [ROUTE_ACCESS]: access },
        errorHandler: jsonRpcErrorHandler,
        handler: jsonRpcHandler(server),
      });
      registerHttpJson(scope, server, { [ROUTE_ACCESS]: access });
      done();
    },
    { prefix: '/a2a' },
  );
}
