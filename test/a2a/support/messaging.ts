import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentMessages } from '../../../src/a2a/turns/agent-messages.js';
import type { A2aRequest } from '../../../src/a2a/turns/agent-operations.js';
import type {
  CapabilityCall,
  CapabilityImplementation,
  HandlerEvent,
} from '../../../src/a2a/handlers/capability-call.js';
import type { ApprovedTurns } from '../../../src/a2a/turns/approved-turns.js';
import { messageHandling, type HandlingParts } from '../../../src/a2a/turns/message-handling.js';
import { RunningTurns } from '../../../src/a2a/turns/running-turns.js';
import { ClassifierFeed } from '../../../src/a2a/routing/classifier-feed.js';
import { InputSchemas } from '../../../src/a2a/routing/input-schemas.js';
import { MessageRouter } from '../../../src/a2a/routing/message-router.js';
import type { ModelRouter } from '../../../src/a2a/routing/model-router.js';
import { ownerOf } from '../../../src/a2a/tasks/owner-of.js';
import type { Tasks } from '../../../src/a2a/tasks/port.js';
import { createTasks, type TaskService } from '../../../src/a2a/tasks/tasks.providers.js';
import type { Message, Part, SendMessageRequest, Task } from '../../../src/a2a/wire/types.js';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import { SchemaJudges } from '../../../src/capabilities/queries/schemas/schema-judges.js';
import type { HostedAgent } from '../../../src/config/hosted-agents.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { BackendTokens } from '../../../src/invocations/backends/backend-tokens.js';
import type { Backend } from '../../../src/invocations/commands/backends.js';
import type { CallTokens } from '../../../src/invocations/commands/call-tokens.js';
import type { Caller } from '../../../src/kernel/caller.js';
import { err } from '../../../src/kernel/result.js';
import { SqliteReadDatabase } from '../../../src/projections/sqlite/sqlite-read-database.js';
import { FINANCE, partner } from '../../capabilities/support/capabilities.js';
import { MemoryAuthorizer } from './memory-authorizer.js';
import { MemoryLedger } from './memory-ledger.js';
import { MemoryRegistry } from './memory-registry.js';
import { WordClassifier } from './word-classifier.js';

/** The extension under which messages name contracts. */
export const TRUST = 'https://countersign.example/extensions/trust/v1';
/** skill-direct-invoke. */
export const DIRECT = 'https://example.com/a2a/extensions/skill-direct-invoke/v1';

export const AGENT: HostedAgent = {
  agentId: FINANCE,
  tenant: 'finance.example',
  name: 'Finance',
  description: 'Looks after invoices.',
  version: '1.0',
  provider: null,
  documentationUrl: null,
  iconUrl: null,
  extendedCard: 'derived',
  capabilitiesFolder: null,
  handlers: [],
  backends: new Map(),
};

/** A handler as a function. */
export type Handle = (call: CapabilityCall) => AsyncIterable<HandlerEvent>;

export interface MessagingOptions {
  readonly capabilities: readonly Capability[];
  /** By the names of handlers; without one, every capability echoes. */
  readonly handlers?: Readonly<Record<string, Handle>>;
  readonly model?: ModelRouter;
  readonly anonymous?: 'secret' | 'shared';
  readonly executionTimeoutMs?: number;
  readonly approvalTimeoutMs?: number;
  /** Of direct invokes, by the names of handlers. */
  readonly backends?: Readonly<Record<string, Backend>>;
  /** Without them, this node holds no key that signs any. */
  readonly tokens?: CallTokens;
}

const KEYLESS = new BackendTokens(
  { backendTokenSigner: async () => err({ code: 'backend-token-key-unavailable' }) },
  'https://countersign.example',
  Date.now,
  randomBytes,
);

/** Says what it is told. */
export async function* echo({ message }: CapabilityCall): AsyncGenerator<HandlerEvent, undefined> {
  const text = message.parts.map((part) => part.text ?? '').join('\n');
  yield { kind: 'artifact', artifact: { artifactId: 'echo', parts: [{ text }] } };
}

/** The execution of messages over durable tasks, with everything else in memory. */
export class Messaging {
  readonly ledger = new MemoryLedger();
  readonly classifier = new WordClassifier();
  readonly turns = new RunningTurns(Date.now);
  readonly faults: unknown[] = [];
  /** Calls that reached a handler. */
  readonly calls: CapabilityCall[] = [];
  readonly registry: MemoryRegistry;
  readonly authorizer: MemoryAuthorizer;
  readonly router: MessageRouter;
  readonly messages: AgentMessages;
  readonly approvedTurns: ApprovedTurns;
  readonly feed: ClassifierFeed;
  readonly #parts: HandlingParts;

  private constructor(
    private readonly options: MessagingOptions,
    readonly service: TaskService,
    private readonly sweepAll: () => Promise<void>,
    private readonly closeStores: () => Promise<void>,
  ) {
    const { capabilities, model = null, anonymous = 'secret' } = options;
    this.registry = new MemoryRegistry(FINANCE, ...capabilities);
    this.authorizer = new MemoryAuthorizer(this.registry);
    this.feed = new ClassifierFeed({
      registry: this.registry,
      classifier: this.classifier,
      agents: [FINANCE],
      report: (line, about) => this.faults.push({ line, about }),
    });
    const schemas = new SchemaJudges();
    this.router = new MessageRouter({
      classifier: this.feed,
      model,
      fits: new InputSchemas(schemas).fits,
      threshold: 0.6,
    });
    this.#parts = {
      registry: this.registry,
      router: this.router,
      handlers: { get: (_agentId, name) => this.#implementation(name) },
      schemas,
      authorizer: this.authorizer,
      ledger: this.ledger,
      approvals: this.ledger,
      backends: { get: (_agentId, handler) => options.backends?.[handler] },
      tokens: options.tokens ?? KEYLESS,
      contracts: this.authorizer,
      turns: this.turns,
      tasks: this.tasks,
      pushConfigs: service.pushConfigs,
      config: {
        agents: [AGENT],
        anonymous,
        executionTimeoutMs: options.executionTimeoutMs ?? 60_000,
        approvalTimeoutMs: options.approvalTimeoutMs ?? 3_600_000,
        trustExtensionUri: TRUST,
        directInvokeExtensionUri: DIRECT,
      },
      clock: Date.now,
      fault: (error) => this.faults.push(error),
      report: (line, about) => this.faults.push({ line, about }),
    };
    const { messages, approvedTurns } = messageHandling(this.#parts);
    this.messages = messages;
    this.approvedTurns = approvedTurns;
  }

  /** As another node has it: over the same records, and knowing nothing of what is being begun here. */
  another(): AgentMessages {
    return messageHandling(this.#parts).messages;
  }

  static async open(options: MessagingOptions): Promise<Messaging> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-messaging-'));
    const store = await openSqliteEventStore(join(folder, 'tasks.db'));
    const database = new SqliteReadDatabase(join(folder, 'tasks-read.db'));
    const taskRetentionMs = 3_600_000;
    let aheadMs = 0;
    const service = await createTasks({
      store,
      database,
      config: { taskRetentionMs, allowLoopbackWebhooks: true },
      node: 'test-node',
      readWaitMs: 2000,
      clock: () => Date.now() + aheadMs,
      random: randomBytes,
      newId: randomUUID,
      report: () => undefined,
    });
    const sweep = async (): Promise<void> => {
      await service.projections.waitFor(await store.head(), 2000);
      aheadMs = taskRetentionMs + 1000;
      await service.sweeper.sweep(new AbortController().signal);
      aheadMs = 0;
    };
    return new Messaging(options, service, sweep, async () => {
      await service.close();
      database.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    });
  }

  get tasks(): Tasks {
    return this.service.tasks;
  }

  /** The retention of every task that has ended is over. */
  async forget(): Promise<void> {
    await this.sweepAll();
  }

  async close(): Promise<void> {
    this.feed.onModuleDestroy();
    await this.turns.onModuleDestroy();
    await this.closeStores();
  }

  request(
    caller: Caller | null,
    signal = new AbortController().signal,
    extensions: readonly string[] = [],
  ): A2aRequest {
    return {
      agent: AGENT,
      caller,
      extensions: new Set(extensions),
      correlationId: randomUUID(),
      traceparent: null,
      receivedAt: performance.now(),
      signal,
    };
  }

  /** The task that a message ends in; throws when it is refused or answered with a message. */
  async taskOf(params: SendMessageRequest, caller: Caller | null = partner()): Promise<Task> {
    const sent = await this.messages.send(this.request(caller), params);
    if (!sent.ok) throw new Error(JSON.stringify(sent.error));
    if (!('task' in sent.value)) throw new Error('it was answered with a message');
    return sent.value.task;
  }

  /** Error and code with which a message is refused; throws when it is not. */
  async refusalOf(
    params: SendMessageRequest,
    caller: Caller | null = partner(),
  ): Promise<{ readonly error: string; readonly code: string | undefined; readonly text: string }> {
    const sent = await this.messages.send(this.request(caller), params);
    if (sent.ok) throw new Error(`it was not refused: ${JSON.stringify(sent.value)}`);
    return { error: sent.error.error, code: sent.error.code, text: JSON.stringify(sent.error) };
  }

  async cancel(taskId: string, caller: Caller | null = partner()): Promise<boolean> {
    const owner = ownerOf(caller, this.options.anonymous ?? 'secret');
    return (await this.tasks.cancel(owner, FINANCE, taskId)).ok;
  }

  #implementation(name: string): CapabilityImplementation | undefined {
    const { handlers } = this.options;
    const handle = handlers === undefined ? echo : handlers[name];
    if (handle === undefined) return undefined;
    return {
      handle: (call) => {
        this.calls.push(call);
        return handle(call);
      },
    };
  }
}

export function message(...parts: readonly Part[]): Message {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts };
}

export function saying(text: string, more: Partial<Message> = {}): SendMessageRequest {
  return { message: { ...message({ text }), ...more } };
}
