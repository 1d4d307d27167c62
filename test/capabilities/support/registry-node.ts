import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { CapabilityExecution } from '../../../src/capabilities/capability-execution.js';
import { CardPublisher } from '../../../src/capabilities/commands/card-publisher.js';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import { targetOf, type CapabilityCommand } from '../../../src/capabilities/domain/commands.js';
import { capabilityStream } from '../../../src/capabilities/domain/stream.js';
import { CAPABILITY_EVENT_TYPES } from '../../../src/capabilities/event-types.js';
import { ProjectedRegistry } from '../../../src/capabilities/projected-registry.js';
import { capabilityDirectory } from '../../../src/capabilities/projection.js';
import type { DirectBackends } from '../../../src/capabilities/queries/direct-backends.js';
import type { KeyStore } from '../../../src/event-store/key-store.js';
import type { EventStore } from '../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../../src/event-store/sqlite/sqlite-key-store.js';
import { ok } from '../../../src/kernel/result.js';
import { ProjectionRunner } from '../../../src/projections/projection-runner.js';
import { SqliteReadDatabase } from '../../../src/projections/sqlite/sqlite-read-database.js';

/** The capability side of one node: nodes over one folder share its log. */
export class RegistryNode {
  private constructor(
    readonly store: EventStore,
    readonly keys: KeyStore,
    private readonly runner: ProjectionRunner,
    private readonly database: SqliteReadDatabase,
    readonly capabilities: CapabilityExecution,
    readonly registry: ProjectedRegistry,
    readonly cards: CardPublisher,
    readonly backends: DirectBackends,
  ) {}

  /**
   * @param name of its read database, which no other node has
   * @param readWaitMs longest wait for its view
   * @param backends those that are bound at the node
   */
  static async open(
    folder: string,
    name: string,
    readWaitMs = 10_000,
    backends: DirectBackends = { summaryOf: () => undefined },
  ): Promise<RegistryNode> {
    const store = await openSqliteEventStore(join(folder, 'events.db'));
    const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
    const database = new SqliteReadDatabase(join(folder, `${name}.db`));
    const runner = new ProjectionRunner({
      store,
      keys,
      types: CAPABILITY_EVENT_TYPES,
      database,
      projections: [capabilityDirectory],
      clock: Date.now,
      report: (report) => {
        throw new Error(JSON.stringify(report));
      },
    });
    runner.start();
    const capabilities = new CapabilityExecution(store, keys, Date.now, randomBytes);
    const registry = new ProjectedRegistry(runner, store, capabilities);
    const config = { readWaitMs };
    const cards = new CardPublisher(
      ...([store, keys, Date.now, randomBytes, config, registry, backends] as const),
    );
    return new RegistryNode(store, keys, runner, database, capabilities, registry, cards, backends);
  }

  /** By the deployment itself; must succeed. */
  async perform(command: CapabilityCommand): Promise<void> {
    const { agentId, skillId } = targetOf(command);
    const commandId = randomUUID();
    const envelope = {
      commandId,
      requestDigest: '',
      actor: { principal: 'p', agent: null, tenant: null },
      correlationId: commandId,
      causationId: null,
      traceparent: null,
    };
    const executed = await this.capabilities.execute(
      capabilityStream(agentId, skillId),
      command,
      envelope,
      async (_, now) => {
        const none = { caller: null, replacements: [], predecessors: [], lastCall: null };
        const context = { now: now(), agentTenant: 'tenant', ...none, backendSummary: null };
        return ok({ context, basedOn: {} });
      },
    );
    if (!executed.ok) throw new Error(JSON.stringify(executed.error));
  }

  async register(...capabilities: readonly Capability[]): Promise<void> {
    for (const { manifest } of capabilities) await this.perform({ kind: 'register', manifest });
  }

  /** From now on its view stays as it is. */
  async stopView(): Promise<void> {
    await this.runner.stop();
  }

  async close(): Promise<void> {
    await this.runner.stop();
    this.database.close();
    await this.store.close();
    await this.keys.close();
  }
}
