import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CapabilityExecution } from '../../../src/capabilities/capability-execution.js';
import { CARD_EVENT_TYPES } from '../../../src/capabilities/card-event-types.js';
import { CapabilityCommands } from '../../../src/capabilities/commands/capability-commands.js';
import { CapabilityContexts } from '../../../src/capabilities/commands/capability-contexts.js';
import { CardPublisher } from '../../../src/capabilities/commands/card-publisher.js';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import type { CapabilityCommand } from '../../../src/capabilities/domain/commands.js';
import { CAPABILITY_EVENT_TYPES } from '../../../src/capabilities/event-types.js';
import { CapabilityLoader } from '../../../src/capabilities/manifest-files/capability-loader.js';
import { RegisteredBackends } from '../../../src/capabilities/manifest-files/registered-backends.js';
import { RegistrySurvey } from '../../../src/capabilities/manifest-files/registry-survey.js';
import { ProjectedRegistry } from '../../../src/capabilities/projected-registry.js';
import { capabilityDirectory } from '../../../src/capabilities/projection.js';
import type { DirectBackends } from '../../../src/capabilities/queries/direct-backends.js';
import type { RegistrationAdvice } from '../../../src/capabilities/queries/registration-advice.js';
import type { HostedAgent } from '../../../src/config/hosted-agents.js';
import type { CommandEnvelope, Executed } from '../../../src/event-store/command-execution.js';
import type { KeyStore } from '../../../src/event-store/key-store.js';
import type { EventStore } from '../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../../src/event-store/sqlite/sqlite-key-store.js';
import { ApprovalDecisions } from '../../../src/invocations/approval-decisions.js';
import { approvals } from '../../../src/invocations/approvals.js';
import { capabilityUsage } from '../../../src/invocations/capability-usage.js';
import { INVOCATION_EVENT_TYPES } from '../../../src/invocations/event-types.js';
import { InvocationExecution } from '../../../src/invocations/invocation-execution.js';
import { LoggedApprovals } from '../../../src/invocations/logged-approvals.js';
import { LoggedInvocations } from '../../../src/invocations/logged-invocations.js';
import { openInvocations } from '../../../src/invocations/open-invocations.js';
import { ProjectedUsage } from '../../../src/invocations/projected-usage.js';
import { RefusalCounts } from '../../../src/invocations/refusal-counts.js';
import type { Caller } from '../../../src/kernel/caller.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import type { Rejection } from '../../../src/kernel/rejection.js';
import type { Result } from '../../../src/kernel/result.js';
import { millisecondsOf } from '../../../src/kernel/timestamp.js';
import { ProjectionRunner } from '../../../src/projections/projection-runner.js';
import { SqliteReadDatabase } from '../../../src/projections/sqlite/sqlite-read-database.js';
import { FINANCE } from './capabilities.js';
import { NOW, TENANT } from './given-when-then.js';

export const CONFIG = { readWaitMs: 10_000, a2a: { vocabulary: [] } };

/** An agent whose capabilities operators of a tenant manage. */
export function hostedAgent(agentId: AgentId, changes: Partial<HostedAgent> = {}): HostedAgent {
  return {
    agentId,
    tenant: TENANT,
    name: 'Agent',
    description: 'An agent.',
    version: '1.0',
    provider: null,
    documentationUrl: null,
    iconUrl: null,
    extendedCard: 'derived',
    capabilitiesFolder: null,
    handlers: [],
    backends: new Map(),
    ...changes,
  };
}

function envelope(): CommandEnvelope {
  const commandId = randomUUID();
  return {
    commandId,
    requestDigest: '',
    actor: { principal: 'operator', agent: null, tenant: TENANT },
    correlationId: commandId,
    causationId: null,
    traceparent: null,
  };
}

/** Nothing is worth knowing. */
const NO_ADVICE: RegistrationAdvice = {
  warningsFor: async () => Promise.resolve([]),
  async *survey() {},
};

export interface NodeOptions {
  /** A log that other nodes write, too. */
  readonly folder?: string;
  readonly hosted?: readonly HostedAgent[];
  readonly onReport?: (line: string) => void;
}

/** Everything of capabilities and invocations on one node, over real stores and views. */
export class CapabilityNode {
  /** What the node's clock says, in milliseconds. */
  now = millisecondsOf(NOW);
  readonly clock = (): number => this.now;
  readonly runner: ProjectionRunner;
  readonly execution: CapabilityExecution;
  readonly registry: ProjectedRegistry;
  readonly usage: ProjectedUsage;
  readonly contexts: CapabilityContexts;
  readonly commands: CapabilityCommands;
  readonly cards: CardPublisher;
  readonly ledger: LoggedInvocations;
  readonly invocations: InvocationExecution;
  readonly approvals: LoggedApprovals;
  readonly decisions = new ApprovalDecisions();
  readonly refusals = new RefusalCounts({ add: () => undefined });
  /** What backends say of themselves, by agent and handler: `finance-agent recon.v3.reconcile`. */
  readonly summaries = new Map<string, JsonObject>();
  readonly backends: DirectBackends = {
    summaryOf: (agentId, handler) => this.summaries.get(`${agentId} ${handler}`),
  };
  readonly #database: SqliteReadDatabase;

  private constructor(
    readonly folder: string,
    readonly store: EventStore,
    readonly keys: KeyStore,
    readonly hosted: readonly HostedAgent[],
    onReport: (line: string) => void,
  ) {
    const { clock } = this;
    this.#database = new SqliteReadDatabase(join(folder, `read-${randomUUID()}.db`));
    this.runner = new ProjectionRunner({
      store,
      keys,
      types: { ...CAPABILITY_EVENT_TYPES, ...CARD_EVENT_TYPES, ...INVOCATION_EVENT_TYPES },
      database: this.#database,
      projections: [capabilityDirectory, capabilityUsage, openInvocations, approvals],
      clock,
      report: onReport,
      retryDelaysMs: [1, 1],
    });
    this.execution = new CapabilityExecution(store, keys, clock, randomBytes);
    this.registry = new ProjectedRegistry(this.runner, store, this.execution);
    this.usage = new ProjectedUsage(this.runner, clock, CONFIG);
    const { execution, registry, usage, backends } = this;
    this.contexts = new CapabilityContexts(
      ...([hosted, store, execution, registry, usage, backends, CONFIG] as const),
    );
    this.commands = new CapabilityCommands(execution, this.contexts);
    this.cards = new CardPublisher(store, keys, clock, randomBytes, CONFIG, registry, backends);
    this.invocations = new InvocationExecution(store, keys, clock, randomBytes);
    this.ledger = new LoggedInvocations(this.invocations, this.runner, randomBytes);
    this.approvals = new LoggedApprovals(
      this.invocations,
      this.decisions,
      this.refusals,
      store,
      this.runner,
      randomBytes,
    );
  }

  static async open(options: NodeOptions = {}): Promise<CapabilityNode> {
    const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'countersign-capabilities-'));
    const store = await openSqliteEventStore(join(folder, 'events.db'));
    const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
    const fail = (line: string): void => {
      throw new Error(line);
    };
    const hosted = options.hosted ?? [hostedAgent(FINANCE)];
    const node = new CapabilityNode(folder, store, keys, hosted, options.onReport ?? fail);
    node.runner.start();
    return node;
  }

  loader(
    hosted: readonly HostedAgent[] = this.hosted,
    advice: RegistrationAdvice = NO_ADVICE,
  ): CapabilityLoader {
    const survey = new RegistrySurvey(hosted, this.store, this.runner, advice);
    return new CapabilityLoader(
      hosted,
      this.clock,
      randomBytes,
      this.store,
      this.runner,
      this.commands,
      this.contexts,
      this.cards,
      survey,
      new RegisteredBackends(hosted, this.registry, this.backends),
    );
  }

  /** By the deployment itself, unless a caller is given. */
  async perform(
    command: CapabilityCommand,
    caller: Caller | null = null,
  ): Promise<Result<Executed<Capability>, Rejection>> {
    return this.commands.perform(command, caller, envelope());
  }

  /** The same; all must succeed. */
  async performAll(...commands: readonly CapabilityCommand[]): Promise<void> {
    for (const command of commands) {
      const executed = await this.perform(command);
      if (!executed.ok) throw new Error(executed.error.code);
    }
  }

  /** Resolves once every view has everything that the log holds by now. */
  async caughtUp(): Promise<void> {
    const reached = await this.runner.waitFor(await this.store.head(), 10_000);
    if (!reached) throw new Error('the views are behind');
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
