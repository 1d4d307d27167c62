import { randomUUID } from 'node:crypto';
import type { DirectCall } from '../../../../src/a2a/direct-invoke/direct-call.js';
import { DirectPlanner } from '../../../../src/a2a/direct-invoke/direct-planner.js';
import { readDirectCall } from '../../../../src/a2a/direct-invoke/read-direct-call.js';
import type { A2aRequest } from '../../../../src/a2a/turns/agent-operations.js';
import type { HandlerEvent } from '../../../../src/a2a/handlers/capability-call.js';
import { CallPermissions } from '../../../../src/a2a/turns/call-permissions.js';
import { received } from '../../../../src/a2a/turns/received-message.js';
import type { PlannedCall } from '../../../../src/a2a/turns/turn-plan.js';
import { ownerOf } from '../../../../src/a2a/tasks/owner-of.js';
import type { A2aRefusal } from '../../../../src/a2a/wire/refusal.js';
import type { SendMessageRequest } from '../../../../src/a2a/wire/types.js';
import type { Capability } from '../../../../src/capabilities/domain/capability.js';
import { entitlement } from '../../../../src/capabilities/domain/entitlement.js';
import type { DirectInvoke } from '../../../../src/capabilities/domain/manifest.js';
import { SchemaJudges } from '../../../../src/capabilities/queries/schemas/schema-judges.js';
import {
  Backends,
  type Backend,
  type BackendCall,
  type BackendFailure,
} from '../../../../src/invocations/commands/backends.js';
import {
  AttemptFault,
  backendFailureOf,
  type FaultKind,
} from '../../../../src/invocations/backends/attempt-fault.js';
import type { RefusedCall } from '../../../../src/invocations/commands/invocation-ledger.js';
import type { Authorization } from '../../../../src/invocations/domain/authorization.js';
import {
  Authorizer,
  type AuthorizationAnswer,
  type AuthorizationQuestion,
} from '../../../../src/invocations/queries/authorizer.js';
import type { Caller } from '../../../../src/kernel/caller.js';
import type { Uuid } from '../../../../src/kernel/ids.js';
import type { Json, JsonObject } from '../../../../src/kernel/json.js';
import { err, ok, type Result } from '../../../../src/kernel/result.js';
import { partner } from '../../../capabilities/support/capabilities.js';
import { DIRECT_URI as URI } from '../../../capabilities/support/extensions.js';
import { MemoryRegistry } from '../../support/memory-registry.js';
import { AGENT } from '../../support/messaging.js';

/** Sums two numbers: the calculator of the RFC. */
export const SUM: DirectInvoke = {
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: { sum: { type: 'number' } },
    required: ['sum'],
  },
  backend: { type: 'in-process' },
  allowUnauthenticated: false,
};

/** The payload of a direct invoke; members that are undefined are left out. */
export function payload(changes: Readonly<Record<string, Json | undefined>> = {}): JsonObject {
  const all = {
    callId: 'direct-call-1',
    skillId: 'sum',
    arguments: { a: 12, b: 30 },
    bypassModel: true,
    ...changes,
  };
  return JSON.parse(JSON.stringify(all)) as JsonObject;
}

/** A message that declares the extension and carries a payload. */
export function directMessage(
  carried: Json = payload(),
  more: Partial<SendMessageRequest> = {},
): SendMessageRequest {
  return {
    message: {
      messageId: randomUUID(),
      role: 'ROLE_USER',
      parts: [{ text: 'Sum 12 and 30.' }],
      extensions: [URI],
      metadata: { [URI]: carried },
    },
    ...more,
  };
}

/** Entitlement alone, unless a test says how the contract decides. */
class SomeAuthorizer extends Authorizer {
  /** What is asked. */
  readonly questions: AuthorizationQuestion[] = [];
  decides: ((capability: Capability) => Authorization) | undefined;

  constructor(private readonly registry: MemoryRegistry) {
    super();
  }

  async authorize(question: AuthorizationQuestion): Promise<AuthorizationAnswer> {
    this.questions.push(question);
    const head = await this.registry.head(question.agentId, question.skillId);
    const found = head === undefined ? 'none' : entitlement(head.capability, question.caller);
    const basedOn = head === undefined ? {} : { [head.stream]: head.capability.revision };
    const capability = head?.capability ?? null;
    const refused = { kind: 'refusal', terms: null, entry: null, isParty: false } as const;
    if (capability === null || found === 'none') {
      return { decision: { ...refused, code: 'not-entitled' }, capability, basedOn };
    }
    if (found === 'removed') {
      return { decision: { ...refused, code: 'capability-removed' }, capability, basedOn };
    }
    const decision = this.decides?.(capability) ?? {
      kind: 'grant',
      rule: 'entitlement',
      capability,
      terms: null,
      approvals: [],
    };
    return { decision, capability, basedOn };
  }
}

class SomeBackends extends Backends {
  readonly byHandler = new Map<string, Backend>();

  get(_agentId: string, handler: string): Backend | undefined {
    return this.byHandler.get(handler);
  }
}

/** Direct invokes as they are planned and run, without tasks. */
export class DirectWorld {
  readonly registry: MemoryRegistry;
  readonly authorizer: SomeAuthorizer;
  readonly backends = new SomeBackends();
  readonly refused: RefusedCall[] = [];
  /** Codes of refusals that went on no record. */
  readonly counted: string[] = [];
  /** Calls that reached a backend. */
  readonly calls: BackendCall[] = [];
  /** What operators are told. */
  readonly reports: unknown[] = [];
  /** Milliseconds that the stopwatch shows: it stands still unless a test moves it. */
  now = 1000;
  /** What every backend answers. */
  answer: (call: BackendCall) => Promise<Result<Json, BackendFailure>>;
  readonly #planner: DirectPlanner;

  constructor(...capabilities: readonly Capability[]) {
    this.registry = new MemoryRegistry(AGENT.agentId, ...capabilities);
    this.authorizer = new SomeAuthorizer(this.registry);
    this.answer = async ({ arguments: { a, b } }) => ok({ sum: Number(a) + Number(b) });
    for (const { manifest } of capabilities) {
      this.backends.byHandler.set(manifest.handler, {
        summary: manifest.directInvoke?.backend ?? {},
        invoke: async (call) => {
          this.calls.push(call);
          return this.answer(call);
        },
      });
    }
    const permissions = new CallPermissions({
      authorizer: this.authorizer,
      approvals: {
        refuse: async (refused) => {
          this.refused.push(refused);
        },
        count: (code) => {
          this.counted.push(code);
        },
      },
      turns: { inBackground: () => undefined },
    });
    this.#planner = new DirectPlanner({
      registry: this.registry,
      permissions,
      backends: this.backends,
      schemas: new SchemaJudges(),
      uri: URI,
      stopwatch: () => this.now,
      report: (line, about) => this.reports.push({ line, about }),
    });
  }

  request(caller: Caller | null): A2aRequest {
    return {
      agent: AGENT,
      caller,
      extensions: new Set([URI]),
      correlationId: randomUUID(),
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      receivedAt: this.now,
      signal: new AbortController().signal,
    };
  }

  /** Read and planned, as a message that has just come in. */
  async plan(
    params: SendMessageRequest = directMessage(),
    caller: Caller | null = partner(),
  ): Promise<Result<PlannedCall, A2aRefusal>> {
    const request = this.request(caller);
    const call = readDirectCall(request, params, URI);
    if (!call.ok) return call;
    if (call.value === null) throw new Error('it is no direct invoke');
    return this.planOf(request, params, call.value);
  }

  async planOf(
    request: A2aRequest,
    params: SendMessageRequest,
    call: DirectCall,
  ): Promise<Result<PlannedCall, A2aRefusal>> {
    const message = received(request, ownerOf(request.caller, 'secret'), params, null);
    return this.#planner.plan(message, call, TASK_ID);
  }

  /** Why it is refused; throws when it is not. */
  async refusal(
    params: SendMessageRequest = directMessage(),
    caller: Caller | null = partner(),
  ): Promise<A2aRefusal> {
    const plan = await this.plan(params, caller);
    const refusal = plan.ok ? (plan.value.direct?.refusedLast ?? null) : plan.error;
    if (refusal === null) throw new Error('it is not refused');
    return refusal;
  }

  /** What a planned call says when it runs. */
  async events(
    params: SendMessageRequest = directMessage(),
    caller: Caller | null = partner(),
  ): Promise<readonly HandlerEvent[]> {
    const plan = await this.plan(params, caller);
    if (!plan.ok) throw new Error(JSON.stringify(plan.error));
    const { implementation, grant, routing, outputModes, message } = plan.value;
    const { rule, terms, capability } = grant;
    const { manifest } = capability;
    const events: HandlerEvent[] = [];
    const running = implementation.handle({
      message,
      task: {
        id: TASK_ID,
        contextId: 'c',
        status: { state: 'TASK_STATE_SUBMITTED', timestamp: '' },
      },
      caller,
      grant: {
        ...{ manifest, rule, terms, routing, outputModes },
        invocationId: INVOCATION_ID,
        deadline: DEADLINE,
      },
      signal: new AbortController().signal,
      token: async () => Promise.reject(new Error('a backend signs its own tokens')),
    });
    for await (const event of running) events.push(event);
    return events;
  }
}

export const TASK_ID = '2f0d2c2a-8f5e-4c55-9d0c-6e5d1f1f0a11' as Uuid;
export const INVOCATION_ID = '2f0d2c2a-8f5e-4c55-9d0c-6e5d1f1f0a12' as Uuid;
export const DEADLINE = Date.parse('2030-01-01T00:00:00Z');

/** How a backend answers whose only attempt went wrong like this. */
export function failing(
  kind: FaultKind,
  retryAfterSeconds?: number,
): () => Promise<Result<Json, BackendFailure>> {
  const fault = new AttemptFault(kind, 'db7.internal:5432 refused', retryAfterSeconds);
  return async () => err(backendFailureOf(fault));
}
