import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentExecution } from '../../../src/agents/agent-execution.js';
import type { AgentCommand } from '../../../src/agents/domain/commands.js';
import type { AcceptancePolicy } from '../../../src/agents/domain/events.js';
import { agentStream } from '../../../src/agents/domain/stream.js';
import type { CommandEnvelope } from '../../../src/event-store/command-execution.js';
import type { KeyStore } from '../../../src/event-store/key-store.js';
import type { EventStore, RecordedEnvelope } from '../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../../src/event-store/sqlite/sqlite-key-store.js';
import type { InteractionCommand } from '../../../src/interactions/domain/commands.js';
import type { InteractionContext } from '../../../src/interactions/domain/context.js';
import { headOf } from '../../../src/interactions/domain/head.js';
import type { Interaction } from '../../../src/interactions/domain/interaction.js';
import { interactionStream } from '../../../src/interactions/domain/stream.js';
import { InteractionExecution } from '../../../src/interactions/interaction-execution.js';
import { attestRevision } from '../../../src/kernel/attestation.js';
import type { Caller } from '../../../src/kernel/caller.js';
import type { AcceptanceMethod } from '../../../src/kernel/federated-interaction.js';
import type { AgentId, InteractionId } from '../../../src/kernel/ids.js';
import type { Rejection } from '../../../src/kernel/rejection.js';
import { ok, type Result } from '../../../src/kernel/result.js';
import { timestampOf, type Clock, type Timestamp } from '../../../src/kernel/timestamp.js';
import type { Agents, DataKeys, Interactions } from '../../../src/processes/ports.js';
import { Processes } from '../../../src/processes/processes.js';
import type { ProcessHealth } from '../../../src/processes/process-health.js';
import type { ProcessTiming } from '../../../src/processes/process-timing.js';
import { contract, platformKey } from '../../support/interaction-fixtures.js';

export const ALPHA = 'alpha' as AgentId;
export const BETA = 'beta' as AgentId;
export const GAMMA = 'gamma' as AgentId;

export const POLICY: AcceptancePolicy = {
  taskCategories: ['translation'],
  allowedActions: ['translate'],
  maxRetentionDays: 30,
};

/** Short enough for a test, long enough to be told apart. */
const TIMING: Partial<ProcessTiming> = {
  longestSleepMs: 10,
  foreignLeasePollMs: 10,
  firstRetryMs: 5,
  longestRetryMs: 20,
};

/** Log, keys and command handlers as one node has them, without the container around them. */
export class Deployment {
  /** The executions of process commands that were asked for, in order. */
  readonly performed: string[] = [];
  /** How many of them were answered. */
  answered = 0;
  /** Holds effects back until it resolves. */
  beforeEffect: () => Promise<void> = () => Promise.resolve();
  /** Between the destruction of a key and what follows. */
  afterDestroyed: () => Promise<void> = () => Promise.resolve();
  readonly #interactions: InteractionExecution;
  readonly #agents: AgentExecution;
  readonly #processes: Processes[] = [];

  private constructor(
    readonly folder: string,
    readonly store: EventStore,
    readonly keys: KeyStore,
    readonly clock: Clock,
  ) {
    this.#interactions = new InteractionExecution(store, keys, clock, randomBytes);
    this.#agents = new AgentExecution(store, keys, clock, randomBytes);
  }

  static async open(
    clock: Clock = Date.now,
    folder = mkdtempSync(join(tmpdir(), 'processes-')),
  ): Promise<Deployment> {
    const store = await openSqliteEventStore(join(folder, 'events.db'), { pollMs: 10 });
    const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
    return new Deployment(folder, store, keys, clock);
  }

  /** All processes of one node, started. */
  run(node: string, timing: Partial<ProcessTiming> = {}, store = this.store): Processes {
    const processes = new Processes({
      store,
      node,
      clock: this.clock,
      random: randomBytes,
      report: () => undefined,
      interactions: this.interactions,
      agents: this.agents,
      keys: this.dataKeys,
      timing: { ...TIMING, ...timing },
    });
    this.#processes.push(processes);
    processes.start();
    return processes;
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map(async (processes) => processes.stop()));
    await this.store.close();
    await this.keys.close();
  }

  async dispose(): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true });
  }

  readonly interactions: Interactions = {
    find: async (id) => (await this.#interactions.repository.load(interactionStream(id))).state,
    execute: async (id, command, envelope) => {
      this.performed.push(`${command.kind} ${id}`);
      await this.beforeEffect();
      const result = await this.#perform(id, command, undefined, envelope);
      this.answered++;
      return result;
    },
  };

  readonly dataKeys: DataKeys = {
    findAll: async (scopes) => this.keys.findAll(scopes),
    destroy: async (scope) => {
      this.performed.push(`destroy ${scope}`);
      await this.keys.destroy(scope);
      await this.afterDestroyed();
    },
  };

  readonly agents: Agents = {
    heads: async (ids) => {
      const loaded = await Promise.all(
        ids.map(async (id) => (await this.#agents.repository.load(agentStream(id))).state),
      );
      const known = loaded.filter((agent) => agent !== null);
      return new Map(known.map((agent) => [agent.agentId, agent]));
    },
    before: async (id, end) => {
      const past = await this.#agents.repository.loadWhile(
        agentStream(id),
        ({ position }) => position < end,
      );
      return past.state ?? undefined;
    },
  };

  async register(agentId: AgentId, methods?: readonly AcceptanceMethod[]): Promise<void> {
    await this.#changeAgent(agentId, {
      kind: 'register',
      agentId,
      owner: undefined,
      clients: [`client-of-${agentId}`],
      keys: [],
      methods,
      transport: {
        hosted: false,
        protocolBinding: 'JSONRPC',
        endpoint: `https://${agentId}.example/a2a`,
      },
    });
  }

  async setPolicy(agentId: AgentId, policy: AcceptancePolicy | null): Promise<void> {
    await this.#changeAgent(agentId, {
      ...(await this.#change(agentId)),
      policy,
      kind: 'change-policy',
    });
  }

  async setMethods(agentId: AgentId, methods: readonly AcceptanceMethod[]): Promise<void> {
    await this.#changeAgent(agentId, {
      ...(await this.#change(agentId)),
      methods,
      kind: 'change-methods',
    });
  }

  async #change(agentId: AgentId) {
    const { revision } = await this.#agents.repository.load(agentStream(agentId));
    return { agentId, expectedRevision: revision, changeHash: '', signature: undefined };
  }

  async #changeAgent(agentId: AgentId, command: AgentCommand): Promise<void> {
    const result = await this.#agents.execute(agentStream(agentId), command, envelope(), (_, now) =>
      Promise.resolve(
        ok({
          context: {
            now: now(),
            leewayMs: 300_000,
            audience: 'https://c.example',
            caller: caller(agentId),
            hostTenant: null,
          },
          basedOn: {},
        }),
      ),
    );
    if (!result.ok) throw new Error(JSON.stringify(result.error));
  }

  /** A proposal of alpha's. */
  async propose(
    expiresAt: Timestamp | number,
    parties: readonly AgentId[] = [ALPHA, BETA],
    terms: Parameters<typeof contract>[0] = {},
  ): Promise<InteractionId> {
    const interactionId = randomUUID() as InteractionId;
    const responderAgentId = parties[1] ?? BETA;
    const given = contract({ interactionId, parties, ...terms });
    const { deadline: _, ...withoutDeadline } = given;
    await this.act(interactionId, {
      kind: 'propose',
      agentId: ALPHA,
      proof: undefined,
      interactionId,
      responderAgentId,
      contract: withoutDeadline,
      termsHash: undefined,
      expiresAt: typeof expiresAt === 'number' ? timestampOf(expiresAt) : expiresAt,
    });
    return interactionId;
  }

  async actOnHead(
    interactionId: InteractionId,
    agentId: AgentId,
    command:
      | { readonly kind: 'accept' | 'reject' | 'withdraw' | 'cancel' | 'consent-to-erasure' }
      | { readonly kind: 'revise'; readonly purpose: string },
  ): Promise<void> {
    const interaction = await this.interactions.find(interactionId);
    if (interaction === undefined) throw new Error('no such interaction');
    const act = { agentId, proof: undefined, head: headOf(interaction) };
    if (command.kind !== 'revise') {
      await this.act(interactionId, { ...act, reason: undefined, kind: command.kind });
      return;
    }
    const newest = interaction.revisions.at(-1)?.contract;
    if (newest === undefined || newest === 'erased') throw new Error('no terms');
    await this.act(interactionId, {
      ...act,
      kind: 'revise',
      contract: { ...newest, purpose: command.purpose },
      termsHash: undefined,
    });
  }

  async act(interactionId: InteractionId, command: InteractionCommand): Promise<void> {
    const by = 'agentId' in command ? caller(command.agentId) : undefined;
    const result = await this.#perform(interactionId, command, by, envelope());
    if (!result.ok) throw new Error(JSON.stringify(result.error));
  }

  async #perform(
    interactionId: InteractionId,
    command: InteractionCommand,
    by: Caller | undefined,
    given: CommandEnvelope,
  ): Promise<Result<unknown, Rejection>> {
    return this.#interactions.execute(
      interactionStream(interactionId),
      command,
      given,
      async (state, now) =>
        ok({ context: await this.#context(state, command, by, now()), basedOn: {} }),
    );
  }

  async #context(
    state: Interaction | undefined,
    command: InteractionCommand,
    by: Caller | undefined,
    now: Timestamp,
  ): Promise<InteractionContext> {
    const parties = command.kind === 'propose' ? command.contract.parties : (state?.parties ?? []);
    return {
      now,
      leewayMs: 300_000,
      audience: 'https://c.example',
      caller: by,
      agents: await this.agents.heads(parties),
      newId: () => randomUUID() as never,
      attest: (revision) => attestRevision(revision, platformKey.keyId, platformKey.privateKey),
    };
  }

  async events(stream: string): Promise<readonly RecordedEnvelope[]> {
    return this.store.readStream(stream);
  }

  async eventsOf(interactionId: InteractionId, type?: string): Promise<RecordedEnvelope[]> {
    const events = await this.store.readStream(interactionStream(interactionId));
    return events.filter((event) => type === undefined || event.type === type);
  }

  async statusOf(interactionId: InteractionId): Promise<string | undefined> {
    return (await this.interactions.find(interactionId))?.status;
  }
}

export async function healthOf(processes: Processes, name: string): Promise<ProcessHealth> {
  const health = (await processes.health()).find((each) => each.name === name);
  if (health === undefined) throw new Error(`no process ${name}`);
  return health;
}

function caller(agentId: AgentId): Caller {
  const scopes = new Set(['agents:write', 'interactions:write'] as const);
  return {
    principal: `owner-of-${agentId}`,
    client: `client-of-${agentId}`,
    agent: agentId,
    tenant: 't',
    scopes,
    allScopes: scopes,
  };
}

function envelope(): CommandEnvelope {
  const commandId = randomUUID();
  return {
    commandId,
    requestDigest: '',
    actor: { principal: 'test', agent: null, tenant: 't' },
    correlationId: commandId,
    causationId: null,
    traceparent: null,
  };
}
