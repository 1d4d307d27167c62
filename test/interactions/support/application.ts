import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus, QueryBus, type Query } from '@nestjs/cqrs';
import { NestFactory } from '@nestjs/core';
import { PerformAgentCommand } from '../../../src/agents/commands/perform-agent-command.js';
import { AGENT_EVENT_TYPES } from '../../../src/agents/event-types.js';
import { agentDirectory } from '../../../src/agents/projection.js';
import { AppModule } from '../../../src/app.module.js';
import { createKeyring } from '../../../src/attestation/create-keyring.js';
import { loadPlatformKeys } from '../../../src/attestation/platform-key-file.js';
import { readConfig } from '../../../src/config/read-config.js';
import {
  commandIdentity,
  type CommandEnvelope,
  type Executed,
} from '../../../src/event-store/command-execution.js';
import type { EventStore, Position } from '../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../../src/event-store/sqlite/sqlite-key-store.js';
import { HealthRegistry } from '../../../src/http/health/health-registry.js';
import { PerformInteractionCommand } from '../../../src/interactions/commands/perform-interaction-command.js';
import type { InteractionCommand } from '../../../src/interactions/domain/commands.js';
import { headOf } from '../../../src/interactions/domain/head.js';
import type { Interaction } from '../../../src/interactions/domain/interaction.js';
import { interactionStream } from '../../../src/interactions/domain/stream.js';
import { INTERACTION_EVENT_TYPES } from '../../../src/interactions/event-types.js';
import { interactionList } from '../../../src/interactions/projection.js';
import {
  ListInteractions,
  type InteractionFilter,
  type InteractionPage,
} from '../../../src/interactions/queries/list-interactions.js';
import type { Caller, Scope } from '../../../src/kernel/caller.js';
import type { Contract } from '../../../src/kernel/federated-interaction.js';
import type { AgentId, InteractionId } from '../../../src/kernel/ids.js';
import type { Rejection } from '../../../src/kernel/rejection.js';
import type { Result } from '../../../src/kernel/result.js';
import { timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';
import { ProjectionRunner } from '../../../src/projections/projection-runner.js';
import { SqliteReadDatabase } from '../../../src/projections/sqlite/sqlite-read-database.js';
import { openTasks } from '../../../src/wiring/open-tasks.js';
import { openTextClassifier } from '../../../src/wiring/open-text-classifier.js';
import { openTransparencyLog } from '../../../src/wiring/open-transparency-log.js';
import { Opened } from '../../../src/wiring/opened.js';

const BEGINNING = Date.parse('2030-01-01T00:00:00.000Z');

/** An agent without keys, its runtime and its owner. */
export interface Actor {
  readonly agentId: AgentId;
  readonly runtime: Caller;
  readonly owner: Caller;
}

export const NO_FILTER: InteractionFilter = {
  status: undefined,
  party: undefined,
  taskCategory: undefined,
  waitingOn: undefined,
  expiringBefore: undefined,
  updatedSince: undefined,
};

/**
 * The application layer over real stores, without HTTP: its clock is the test's, and its views run
 * only when the test says so.
 */
export class Application {
  /** Milliseconds since the epoch. */
  now = BEGINNING;

  private constructor(
    private readonly folder: string,
    readonly store: EventStore,
    readonly views: ProjectionRunner,
    private readonly context: INestApplicationContext,
    private readonly closers: readonly (() => Promise<void> | void)[],
  ) {}

  /** @param over what the service has of the log, in place of the log itself */
  static async open(
    env: Readonly<Record<string, string>> = {},
    over: (log: EventStore) => EventStore = (log) => log,
  ): Promise<Application> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
    const config = readConfig(
      { COUNTERSIGN_DEV: '1', DATA_FOLDER: folder, READ_WAIT_MS: '50', ...env },
      'test-host',
    );
    if (!config.ok) throw new Error(JSON.stringify(config.error));
    const time = { now: (): number => BEGINNING };
    const clock = (): number => time.now();
    const { readModel, platformKeys } = config.value;
    const store = await openSqliteEventStore(join(folder, 'events.db'), {
      onFault: (fault) => {
        throw fault;
      },
    });
    const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
    const held = await loadPlatformKeys(platformKeys);
    if (!held.ok) throw new Error(held.error.join());
    const keyring = createKeyring(
      { store, keys, clock, random: randomBytes, newId: randomUUID },
      held.value,
    );
    await keyring.register();
    const opened = new Opened();
    const database = new SqliteReadDatabase(readModel.path);
    const views = new ProjectionRunner({
      store,
      keys,
      types: { ...AGENT_EVENT_TYPES, ...INTERACTION_EVENT_TYPES },
      database,
      projections: [agentDirectory, interactionList],
      clock,
      report: () => undefined,
    });
    const parts = {
      config: config.value,
      clock,
      random: randomBytes,
      eventStore: over(store),
      keyStore: keys,
      readModel: views,
      keyring,
      health: new HealthRegistry(),
      transparencyLog: await openTransparencyLog(config.value, store, keyring, randomBytes, opened),
      taskService: (await openTasks(config.value, opened)).service,
      textClassifier: openTextClassifier(config.value, opened),
      handlers: new Map(),
    };
    const context = await NestFactory.createApplicationContext(AppModule.with(parts), {
      logger: false,
    });
    const application = new Application(folder, store, views, context, [
      () => views.stop(),
      () => context.close(),
      () => opened.close(),
      () => {
        database.close();
      },
      () => keys.close(),
      () => store.close(),
    ]);
    time.now = () => application.now;
    return application;
  }

  async dispose(): Promise<void> {
    for (const close of this.closers) await close();
    await rm(this.folder, { recursive: true, force: true });
  }

  get moment(): Timestamp {
    return timestampOf(this.now);
  }

  async register(name: string, tenant = `tenant-of-${name}`): Promise<Actor> {
    const agentId = name as AgentId;
    const client = `client-of-${name}`;
    const scopes: ReadonlySet<Scope> = new Set(['agents:write', 'interactions:write']);
    const token = { tenant, scopes, allScopes: scopes };
    const owner = { principal: `owner-of-${name}`, client: null, agent: null, ...token };
    const command = {
      kind: 'register',
      agentId,
      owner: undefined,
      clients: [client],
      keys: [],
      methods: undefined,
      transport: { hosted: true },
    } as const;
    const envelope = envelopeOf(command, owner);
    const registered = await this.context
      .get(CommandBus)
      .execute(new PerformAgentCommand(command, owner, envelope));
    if (!registered.ok) throw new Error(registered.error.code);
    return {
      agentId,
      owner,
      runtime: { principal: client, client, agent: agentId, ...token },
    };
  }

  /** A command on behalf of an agent's runtime. */
  async perform(
    who: Actor,
    interactionId: InteractionId,
    command: InteractionCommand,
    caller = who.runtime,
  ): Promise<Result<Executed<Interaction>, Rejection>> {
    return this.context
      .get(CommandBus)
      .execute(
        new PerformInteractionCommand(
          interactionId,
          command,
          caller,
          envelopeOf([interactionId, command], caller),
        ),
      );
  }

  /** A command of a process of the service. */
  async run(
    interactionId: InteractionId,
    command: InteractionCommand,
  ): Promise<Result<Executed<Interaction>, Rejection>> {
    const envelope = envelopeOf([interactionId, command], undefined);
    return this.context
      .get(CommandBus)
      .execute(new PerformInteractionCommand(interactionId, command, undefined, envelope));
  }

  async propose(
    who: Actor,
    others: readonly [Actor, ...Actor[]],
    terms: Partial<Contract> & { readonly expiresAt?: Timestamp } = {},
  ): Promise<Interaction> {
    const { expiresAt = timestampOf(this.now + 3_600_000), ...overrides } = terms;
    const contract = contractOf([who, ...others], overrides);
    const executed = await this.perform(who, contract.interactionId, {
      kind: 'propose',
      interactionId: contract.interactionId,
      agentId: who.agentId,
      responderAgentId: others[0].agentId,
      contract,
      termsHash: undefined,
      expiresAt,
      proof: undefined,
    });
    return stateOf(executed);
  }

  async accept(
    who: Actor,
    interaction: Interaction,
  ): Promise<Result<Executed<Interaction>, Rejection>> {
    return this.perform(who, interaction.interactionId, {
      kind: 'accept',
      agentId: who.agentId,
      head: headOf(interaction),
      proof: undefined,
    });
  }

  ask<R>(query: Query<R>): Promise<R> {
    return this.context.get(QueryBus).execute(query);
  }

  async list(
    caller: Caller,
    filter: Partial<InteractionFilter> = {},
    page: { readonly after?: Position; readonly limit?: number; readonly seen?: Position } = {},
  ): Promise<Result<InteractionPage, Rejection>> {
    const { after, limit = 100, seen = await this.store.head() } = page;
    return this.ask(new ListInteractions(caller, { ...NO_FILTER, ...filter }, after, limit, seen));
  }

  async events(interactionId: InteractionId): Promise<readonly string[]> {
    const envelopes = await this.store.readStream(interactionStream(interactionId));
    return envelopes.map(({ type }) => type);
  }
}

export function stateOf(executed: Result<Executed<Interaction>, Rejection>): Interaction {
  if (!executed.ok) throw new Error(JSON.stringify(executed.error));
  return executed.value.state;
}

export function everything(): Caller {
  const scopes: ReadonlySet<Scope> = new Set(['operator:read']);
  const token = { tenant: 'operators', scopes, allScopes: scopes };
  return { principal: 'operator', client: null, agent: null, ...token };
}

function envelopeOf(body: unknown, caller: Caller | undefined): CommandEnvelope {
  const actor =
    caller === undefined
      ? { principal: 'process:test', agent: null, tenant: null }
      : { principal: caller.principal, agent: caller.agent, tenant: caller.tenant };
  return {
    ...commandIdentity({
      actor,
      idempotencyKey: undefined,
      content: { kind: 'test', target: '', body },
      head: null,
    }),
    actor,
    correlationId: randomUUID(),
    causationId: null,
    traceparent: null,
  };
}

function contractOf(parties: readonly Actor[], overrides: Partial<Contract>): Contract {
  return {
    protocolVersion: '0.1',
    interactionId: randomUUID() as InteractionId,
    purpose: 'Translate a leaflet',
    parties: parties.map(({ agentId }) => agentId),
    taskCategory: 'translation',
    requestedOutcome: 'A German text',
    successCriteria: [],
    allowedActions: ['translate'],
    prohibitedActions: [],
    allowedData: [],
    prohibitedData: [],
    evidenceRequirements: [],
    delegationRules: [],
    humanApprovalRequirements: [],
    factCheckingPolicy: 'none',
    mediationPolicy: 'none',
    retentionDays: 30,
    completionConditions: [],
    cancellationConditions: [],
    signatures: {},
    ...overrides,
  };
}
