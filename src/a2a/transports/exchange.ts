import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { sendEvents, type EventStreamTiming, type StreamForm } from '../../http/event-stream.js';
import type { OpenStreams } from '../../http/open-streams.js';
import { RejectionException } from '../../http/rejection-exception.js';
import type { UnreadAnswers } from '../../http/unread-answers.js';
import type { Json } from '../../kernel/json.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { EXTENSIONS_HEADER, extensionsHeader } from '../negotiation/extensions.js';
import type { RequestNegotiation } from '../negotiation/request-negotiation.js';
import { VERSION_HEADER, VERSION_PARAMETER, type ReceivedValue } from '../negotiation/version.js';
import type { TaskEvent } from '../tasks/port.js';
import type { A2aRefusal } from '../wire/refusal.js';
import { callOf, type OpenCall } from './call.js';
import { failureOf, failureOfThrown } from './failure.js';
import { sendFailure, sendThrown, type Form } from './form.js';
import type { Operation, Operations } from './operations.js';

/** What a request says of itself before it is looked at. */
export type Negotiation = Pick<RequestNegotiation, 'version' | 'extensions'>;

/** What every exchange needs, of whichever binding. */
export interface A2aServer {
  readonly agents: ReadonlyMap<string, HostedAgent>;
  readonly operations: Operations;
  readonly negotiation: Negotiation;
  readonly streams: OpenStreams;
  readonly answers: Pick<UnreadAnswers, 'text'>;
  readonly timing: EventStreamTiming;
}

/** What a request asks for. */
export interface Asked {
  readonly operation: Operation;
  readonly params: Json | undefined;
}

/**
 * One request and its answer: agent, version, extensions, operation, then the operation, which reads
 * its params before it does anything. Nothing is recorded before all of that has passed.
 * @param ask says what is asked for, in the binding's own way
 */
export async function exchange(
  server: A2aServer,
  request: FastifyRequest,
  reply: FastifyReply,
  form: Form,
  ask: () => Result<Asked, A2aRefusal>,
): Promise<void> {
  try {
    const agent = agentOf(server, request);
    const negotiated = negotiate(server, request, agent, ask);
    if (!negotiated.ok) {
      sendFailure(reply, form, failureOf(negotiated.error));
      return;
    }
    const { asked, extensions } = negotiated.value;
    await answer(server, request, reply, form, asked, callOf(request, reply, agent, extensions));
  } catch (error) {
    sendThrown(request, reply, form, error);
  }
}

function negotiate(
  { negotiation }: A2aServer,
  { headers, query }: FastifyRequest,
  agent: HostedAgent,
  ask: () => Result<Asked, A2aRefusal>,
): Result<{ asked: Asked; extensions: ReadonlySet<string> }, A2aRefusal> {
  const parameter = (query as Record<string, ReceivedValue>)[VERSION_PARAMETER];
  const unserved = negotiation.version(headers[VERSION_HEADER], parameter);
  if (unserved !== undefined) return err(unserved);
  const extensions = negotiation.extensions(agent, headers[EXTENSIONS_HEADER]);
  if (!extensions.ok) return extensions;
  const asked = ask();
  return asked.ok ? ok({ asked: asked.value, extensions: extensions.value }) : asked;
}

/**
 * Names the extensions that a request activates in its answer, whatever that will be: before the body
 * is read, so that answers to bodies that nobody can read name them, too.
 */
export function nameExtensions(
  { agents, negotiation }: A2aServer,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const agent = agents.get(agentIdOf(request));
  if (agent === undefined) return;
  const extensions = negotiation.extensions(agent, request.headers[EXTENSIONS_HEADER]);
  const activated = extensions.ok ? extensionsHeader(extensions.value) : undefined;
  if (activated !== undefined) reply.header(EXTENSIONS_HEADER, activated);
}

async function answer(
  server: A2aServer,
  request: FastifyRequest,
  reply: FastifyReply,
  form: Form,
  { operation, params }: Asked,
  call: OpenCall,
): Promise<void> {
  if (operation.kind === 'unary') {
    const result = await operation.perform(call, params);
    if (result.ok) {
      const text = await server.answers.text(request, form.result(result.value));
      void reply.header('content-type', form.contentType).send(text);
    } else sendFailure(reply, form, failureOf(result.error));
    return;
  }
  const close = server.streams.open(call.caller, call.ends);
  try {
    const events = await operation.perform(call, params);
    if (!events.ok) {
      sendFailure(reply, form, failureOf(events.error));
      return;
    }
    const streamForm: StreamForm<TaskEvent> = {
      event: ({ id, response }) => ({ id, type: undefined, data: form.event(response) }),
      fault: (error) => ({
        id: undefined,
        type: form.failureEvent,
        data: form.failure(failureOfThrown(error, call.correlationId)).body,
      }),
    };
    await sendEvents(reply, events.value, streamForm, call.signal, server.timing);
  } finally {
    close();
  }
}

function agentOf({ agents }: A2aServer, request: FastifyRequest): HostedAgent {
  const agent = agents.get(agentIdOf(request));
  if (agent === undefined) throw new RejectionException({ code: 'not-found' });
  return agent;
}

function agentIdOf(request: FastifyRequest): string {
  return (request.params as { agent?: string }).agent ?? '';
}
