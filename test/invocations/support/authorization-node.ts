import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentExecution } from '../../../src/agents/agent-execution.js';
import type { AgentEvent } from '../../../src/agents/domain/events.js';
import { agentStream } from '../../../src/agents/domain/stream.js';
import { AGENT_EVENT_TYPES } from '../../../src/agents/event-types.js';
import { AgentAtHandler } from '../../../src/agents/queries/agent-at-handler.js';
import { AgentHeadsHandler } from '../../../src/agents/queries/agent-heads-handler.js';
import { CapabilityExecution } from '../../../src/capabilities/capability-execution.js';
import type { CapabilityEvent } from '../../../src/capabilities/domain/events.js';
import type { Manifest } from '../../../src/capabilities/domain/manifest.js';
import { capabilityStream } from '../../../src/capabilities/domain/stream.js';
import { CAPABILITY_EVENT_TYPES } from '../../../src/capabilities/event-types.js';
import { ProjectedRegistry } from '../../../src/capabilities/projected-registry.js';
import { capabilityDirectory } from '../../../src/capabilities/projection.js';
import { CapabilityAtHandler } from '../../../src/capabilities/queries/capability-at-handler.js';
import { ProjectedVocabulary } from '../../../src/capabilities/vocabulary/projected-vocabulary.js';
import { capabilityVocabulary } from '../../../src/capabilities/vocabulary/projection.js';
import type { HostedAgent } from '../../../src/config/hosted-agents.js';
import type { EventTypes } from '../../../src/event-store/codec.js';
import { CommandExecution } from '../../../src/event-store/command-execution.js';
import type { KeyStore } from '../../../src/event-store/key-store.js';
import { START, type EventStore } from '../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../../src/event-store/sqlite/sqlite-key-store.js';
import { LoggedContracts } from '../../../src/interactions/contracts/logged-contracts.js';
import { contractsByPair } from '../../../src/interactions/contracts/projection.js';
import { INTERACTION_EVENT_TYPES } from '../../../src/interactions/event-types.js';
import { InteractionExecution } from '../../../src/interactions/interaction-execution.js';
import { AuthorizationFacts } from '../../../src/invocations/authorization-facts.js';
import { LogAuthorizer } from '../../../src/invocations/log-authorizer.js';
import type { DomainEvent } from '../../../src/kernel/event.js';
import { ok } from '../../../src/kernel/result.js';
import { ProjectionRunner } from '../../../src/projections/projection-runner.js';
import { SqliteReadDatabase } from '../../../src/projections/sqlite/sqlite-read-database.js';
import { START_MS, type Party } from '../../support/interaction-fixtures.js';

const CONFIG = { readWaitMs: 5_000, a2a: { vocabulary: ['publish'] } };

/** What decides about calls on one node, over real stores and views; nodes over a folder share a log. */
export class AuthorizationNode {
  /** What the node's clock says, in milliseconds. */
  now = START_MS;
  readonly clock = (): number => this.now;
  /** What its deployment hosts; of agents that are not among it no tenant is expected. */
  readonly hosted: HostedAgent[] = [];
  readonly runner: ProjectionRunner;
  readonly facts: AuthorizationFacts;
  readonly authorizer: LogAuthorizer;
  readonly #database: SqliteReadDatabase;

  private constructor(
    readonly folder: string,
    readonly store: EventStore,
    readonly keys: KeyStore,
  ) {
    const { clock } = this;
    this.#database = new SqliteReadDatabase(join(folder, `read-${randomUUID()}.db`));
    this.runner = new ProjectionRunner({
      store,
      keys,
      types: { ...AGENT_EVENT_TYPES, ...CAPABILITY_EVENT_TYPES, ...INTERACTION_EVENT_TYPES },
      database: this.#database,
      projections: [capabilityDirectory, capabilityVocabulary, contractsByPair],
      clock,
      report: () => undefined,
      retryDelaysMs: [1],
    });
    const agents = new AgentExecution(store, keys, clock, randomBytes);
    const capabilities = new CapabilityExecution(store, keys, clock, randomBytes);
    const interactions = new InteractionExecution(store, keys, clock, randomBytes);
    this.facts = new AuthorizationFacts(
      new ProjectedRegistry(this.runner, store, capabilities),
      new CapabilityAtHandler(capabilities),
      new AgentHeadsHandler(agents),
      new AgentAtHandler(agents),
      new LoggedContracts(interactions, store, this.runner, CONFIG),
      new ProjectedVocabulary(this.runner, CONFIG, this.hosted),
      this.hosted,
      clock,
    );
    this.authorizer = new LogAuthorizer(this.facts);
  }

  static async open(
    folder = mkdtempSync(join(tmpdir(), 'countersign-authorizer-')),
  ): Promise<AuthorizationNode> {
    const store = await openSqliteEventStore(join(folder, 'events.db'));
    const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
    const node = new AuthorizationNode(folder, store, keys);
    node.runner.start();
    return node;
  }

  /** Its views were complete, and stand still from now on. */
  async holdViews(): Promise<void> {
    await this.caughtUp();
    await this.runner.stop();
  }

  async caughtUp(): Promise<void> {
    await this.runner.waitFor(START, 10_000);
    if (await this.runner.waitFor(await this.store.head(), 10_000)) return;
    throw new Error('the views do not follow');
  }

  async register(...parties: readonly Party[]): Promise<void> {
    for (const { agentId, agent } of parties) {
      const { tenant, owner, clients, methods, transport } = agent;
      const data = { agentId, tenant, owner, clients, keys: [], methods, transport };
      await this.recordAgent({ type: 'agent-registered', data, texts: null });
    }
  }

  async recordAgent(event: AgentEvent): Promise<void> {
    await this.#record(agentStream(event.data.agentId), event, AGENT_EVENT_TYPES);
  }

  async recordCapability({ agentId, id }: Manifest, event: CapabilityEvent): Promise<void> {
    await this.#record(capabilityStream(agentId, id), event, CAPABILITY_EVENT_TYPES);
  }

  async #record<E extends DomainEvent>(
    stream: string,
    event: E,
    types: EventTypes<E>,
  ): Promise<void> {
    const decider = {
      initial: null,
      evolve: () => null,
      decide: (_: null, decided: E) => ok([decided]),
    };
    const { store, keys, clock } = this;
    const execution = new CommandExecution(store, keys, decider, types, clock, randomBytes);
    const commandId = randomUUID();
    const envelope = {
      ...{ commandId, requestDigest: '', correlationId: commandId },
      ...{ causationId: null, traceparent: null },
      actor: { principal: 'test', agent: null, tenant: null },
    };
    const prepared = async () => ok({ context: null, basedOn: {} });
    const stored = await execution.store(stream, event, envelope, prepared);
    if (!stored.ok) throw new Error(stored.error.code);
  }

  async close(): Promise<void> {
    await this.runner.stop();
    this.#database.close();
    await this.store.close();
    await this.keys.close();
  }

  /** Closes it, and removes its log. */
  async dispose(): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
