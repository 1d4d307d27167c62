import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reach } from '../event-store/log-reaches.js';
import type { Position } from '../event-store/port.js';
import type { Caller, Scope } from '../kernel/caller.js';
import { honoursPositionToken, ROUTE_ACCESS, type RouteAccess } from './access.js';
import { boundAnswers } from './bounded-answers.js';
import { answerClientError, answerTunnels } from './client-error.js';
import { CORRELATION_HEADER, correlationIdOf } from './correlation.js';
import { DOCUMENTS, refuseContentCoding, registerJsonBody } from './json-body.js';
import { MethodTable, type Route } from './method-table.js';
import { DOCS_PATH, OPENAPI_PATH } from './openapi/paths.js';
import { serveInTurn } from './pipelining.js';
import { ProblemWriter } from './problem-writer.js';
import { parsePositionToken, POSITION_TOKEN_HEADER } from './position-token.js';
import { orReject, RejectionException } from './rejection-exception.js';
import { annotate, notesOf, type RequestNotes } from './request-context.js';
import { refuseForm } from './request-form.js';
import { setSecureHeaders } from './secure-headers.js';
import type { UnreadAnswers } from './unread-answers.js';
import { endUnusedConnections } from './unused-connections.js';

/** Longest request line and header fields in bytes. */
const MAX_HEADER_BYTES = 16 * 1024;

/** A slow or stuck client holds a connection no longer than this, in milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Requests that wait on a connection behind the one that is served. */
const MAX_WAITING_REQUESTS = 16;

/** Further ones are closed at once: each costs some memory, also when nothing is asked for on it. */
const MAX_CONNECTIONS = 10_000;

/** Room for the longest id with every character percent-encoded. */
const MAX_PARAM_LENGTH = 512;

export interface EdgeOptions {
  /** Without a trailing slash. */
  readonly publicBaseUrl: string;
  /** Judges the `Authorization` header; at once when it knows the token already. */
  readonly authenticate: (authorization: string | undefined) => Caller | Promise<Caller>;
  /** Waits, bounded, until this node's log holds a position. */
  readonly reaches: (position: Position) => Promise<Reach>;
  /** True once the node takes no new requests. */
  readonly isDraining: () => boolean;
}

export interface Edge {
  readonly adapter: FastifyAdapter;
  readonly problems: ProblemWriter;
  /** Those that clients have not taken yet. */
  readonly answers: UnreadAnswers;
  /** Every route registered so far. */
  readonly routes: () => readonly Route[];
  /** The methods of the routes that match a path (without query). */
  readonly allowed: (path: string) => readonly string[];
}

/**
 * The HTTP edge: everything that happens to a request before a controller sees it. Who calls is
 * settled before the body is read, and a route is closed unless it says that it is public.
 */
export function createEdge(options: EdgeOptions): Edge {
  const methods = new MethodTable();
  const problems = new ProblemWriter(options.publicBaseUrl, methods);
  const isHttps = options.publicBaseUrl.startsWith('https:');
  const adapter = new FastifyAdapter({
    logger: false,
    bodyLimit: DOCUMENTS.limits.maxBytes,
    // A node that drains answers with a problem of its own: see the hook below.
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    skipMiddie: true,
    // The host is looked for below, where a problem can be answered.
    http: { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false },
    clientErrorHandler: (error, socket) => {
      answerClientError(error, socket, options.publicBaseUrl);
    },
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      setSecureHeaders(reply, false, isHttps);
      problems.write(error, request, reply);
    },
  });
  const fastify = adapter.getInstance();
  methods.watch(fastify);
  registerJsonBody(fastify, DOCUMENTS);
  fastify.server.maxConnections = MAX_CONNECTIONS;
  // Without a listener node answers 417 by itself.
  fastify.server.on('checkExpectation', (request, response) => {
    fastify.server.emit('request', request, response);
  });
  answerTunnels(fastify.server, options.publicBaseUrl);
  serveInTurn(fastify, MAX_WAITING_REQUESTS);
  registerHooks(fastify, options, isHttps);
  endUnusedConnections(fastify);
  const answers = boundAnswers(fastify, (request) => accessOf(request).shared === true);
  return {
    adapter,
    problems,
    answers,
    routes: () => methods.routes(),
    allowed: (path) => methods.allowed(path),
  };
}

function registerHooks(fastify: FastifyInstance, options: EdgeOptions, isHttps: boolean): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const notes: RequestNotes = {
      correlationId: correlationIdOf(request.headers),
      caller: undefined,
      positionToken: null,
    };
    annotate(request, notes);
    reply.header(CORRELATION_HEADER, notes.correlationId);
    setSecureHeaders(reply, isDocumentation(request), isHttps);
    const refuse = (error: unknown): void => {
      done(error instanceof Error ? error : new Error(String(error)));
    };
    try {
      refuseWhenDraining(options, reply);
      refuseForm(request);
      refuseContentCoding(request);
      const access = accessOf(request);
      if (isOpen(access, request)) {
        done();
        return;
      }
      const admit = (caller: Caller): void => {
        requireAnyScope(access.anyScope, caller);
        notes.caller = caller;
        done();
      };
      const authenticated = options.authenticate(request.headers.authorization);
      if (authenticated instanceof Promise) authenticated.then(admit).catch(refuse);
      else admit(authenticated);
    } catch (error) {
      refuse(error);
    }
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    const token = request.headers[POSITION_TOKEN_HEADER];
    if (token === undefined || !honoursPositionToken(request.method, accessOf(request))) {
      done();
      return;
    }
    awaitPosition(options, token).then(
      (position) => {
        const notes = notesOf(request);
        if (notes !== undefined) notes.positionToken = position;
        done();
      },
      (error: unknown) => {
        done(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

/** Read your writes: no read answers from a log that is behind what its caller has seen. */
async function awaitPosition(options: EdgeOptions, token: string | string[]): Promise<Position> {
  const position = orReject(parsePositionToken(String(token)));
  switch (await options.reaches(position)) {
    case 'reached':
      return position;
    case 'behind':
      throw new RejectionException({ code: 'projection-behind' });
    case 'foreign':
      throw new RejectionException({ code: 'position-invalid' });
  }
}

function refuseWhenDraining(options: EdgeOptions, reply: FastifyReply): void {
  if (!options.isDraining()) return;
  reply.header('connection', 'close');
  throw new RejectionException({ code: 'shutting-down' });
}

/** Closed unless it says otherwise; an address without a route has nothing to protect. */
function accessOf(request: FastifyRequest): RouteAccess {
  if (request.is404) return { public: true };
  if (isDocumentation(request)) return { public: true, shared: true };
  const config = request.routeOptions.config as { [ROUTE_ACCESS]?: RouteAccess };
  return config[ROUTE_ACCESS] ?? {};
}

function isOpen(access: RouteAccess, request: FastifyRequest): boolean {
  if (access.optional === true && request.headers.authorization === undefined) return true;
  return access.public === true;
}

function isDocumentation(request: FastifyRequest): boolean {
  const url = request.routeOptions.url ?? '';
  return url === OPENAPI_PATH || url === DOCS_PATH || url.startsWith(`${DOCS_PATH}/`);
}

/** RFC 6750 section 3.1 names the scopes that would have sufficed. */
function requireAnyScope(anyScope: readonly Scope[] | undefined, caller: Caller): void {
  if (anyScope === undefined || anyScope.some((scope) => caller.scopes.has(scope))) return;
  throw new RejectionException(
    { code: 'scope-missing', detail: `This operation needs the scope ${anyScope.join(' or ')}.` },
    { 'www-authenticate': `Bearer error="insufficient_scope", scope="${anyScope.join(' ')}"` },
  );
}
