import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentExecution } from '../../../src/agents/agent-execution.js';
import { PerformAgentCommandHandler } from '../../../src/agents/commands/perform-agent-command-handler.js';
import { PerformAgentCommand } from '../../../src/agents/commands/perform-agent-command.js';
import type { AgentCommand } from '../../../src/agents/domain/commands.js';
import { AgentHeadsHandler } from '../../../src/agents/queries/agent-heads-handler.js';
import { createKeyring } from '../../../src/attestation/create-keyring.js';
import type { PlatformKeyring } from '../../../src/attestation/platform-keyring.js';
import { LogReplay } from '../../../src/audit/verify/replay/log-replay.js';
import type { Config } from '../../../src/config/config.js';
import { readConfig } from '../../../src/config/read-config.js';
import {
  commandIdentity,
  type CommandEnvelope,
} from '../../../src/event-store/command-execution.js';
import { START, type EventStore, type RecordedEnvelope } from '../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../../src/event-store/sqlite/sqlite-key-store.js';
import type { KeyStore } from '../../../src/event-store/key-store.js';
import { WatchedEventStore } from '../../../src/event-store/watched-event-store.js';
import { DecisionContexts } from '../../../src/interactions/commands/decision-contexts.js';
import { PerformInteractionCommandHandler } from '../../../src/interactions/commands/perform-interaction-command-handler.js';
import { PerformInteractionCommand } from '../../../src/interactions/commands/perform-interaction-command.js';
import { InteractionExecution } from '../../../src/interactions/interaction-execution.js';
import type { Caller, Scope } from '../../../src/kernel/caller.js';
import type { InteractionId } from '../../../src/kernel/ids.js';
import { changeHash } from '../../../src/kernel/statements.js';
import { isBefore, timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';
import { proofOf, register, signatureOf, type TestKey } from '../../agents/support/agents.js';
import {
  AUDIENCE,
  contract,
  platformKey,
  Scene,
  START_MS,
  type Act,
  type Party,
  type SigningKey,
} from '../../support/interaction-fixtures.js';

const INTERACTION_ID: InteractionId = contract().interactionId;
const SCOPES: ReadonlySet<Scope> = new Set(['agents:write', 'interactions:write']);

/** The log, of which a stream is read only after something else has happened. */
class LateEventStore extends WatchedEventStore {
  constructor(
    log: EventStore,
    clock: () => number,
    private readonly beforeRead: (stream: string) => Promise<void>,
  ) {
    super(log, clock);
  }

  override async readStream(
    ...asked: Parameters<EventStore['readStream']>
  ): Promise<readonly RecordedEnvelope[]> {
    await this.beforeRead(asked[0]);
    return super.readStream(...asked);
  }
}

/** Several nodes' command handlers over one real log, each with a clock of its own; and the log's audit. */
export class SkewedNodes {
  /** Of who is right, in milliseconds since the epoch. */
  now = START_MS;

  private constructor(
    private readonly folder: string,
    readonly store: EventStore,
    private readonly keys: KeyStore,
    private readonly config: Config,
  ) {}

  static async open(): Promise<SkewedNodes> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
    const env = { COUNTERSIGN_DEV: '1', DATA_FOLDER: folder, PUBLIC_BASE_URL: AUDIENCE };
    const config = readConfig(env, 'test-host');
    if (!config.ok) throw new Error(JSON.stringify(config.error));
    const store = await openSqliteEventStore(join(folder, 'events.db'));
    const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
    return new SkewedNodes(folder, store, keys, config.value);
  }

  async dispose(): Promise<void> {
    await this.store.close();
    await this.keys.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /**
   * A node whose clock is so far ahead, in milliseconds.
   * @param beforeRead waited for before a stream is read from the log
   */
  async node(
    aheadMs = 0,
    beforeRead: (stream: string) => Promise<void> = async () => undefined,
  ): Promise<SkewedNode> {
    const { keys } = this;
    const clock = (): number => this.now + aheadMs;
    const store = new LateEventStore(this.store, clock, beforeRead);
    const parts = { store, keys, clock, random: randomBytes, newId: randomUUID };
    const held = [{ ...platformKey, purpose: 'attestation' as const, revoked: null }];
    const keyring = createKeyring(parts, held);
    await keyring.register();
    return new SkewedNode(store, keys, clock, keyring, this.config);
  }

  async log(): Promise<readonly RecordedEnvelope[]> {
    const events: RecordedEnvelope[] = [];
    for await (const event of this.store.readAll(START)) events.push(event);
    return events;
  }

  /** What an offline verifier finds wrong with the whole log: check, reason and subject. */
  async failures(): Promise<readonly string[]> {
    const replay = new LogReplay({ audience: AUDIENCE });
    const results = (await this.log()).flatMap(({ position: _, ...envelope }, index) =>
      replay.add({ index, envelope }),
    );
    return [...results, ...replay.finish()]
      .filter(({ result }) => result === 'failed')
      .map(({ check, reason, subject }) => `${check} ${String(reason)} ${subject}`);
  }

  /** Which events are dated before what they rest on. */
  async datedTooEarly(): Promise<readonly string[]> {
    const log = await this.log();
    const dates = new Map(log.map((e) => [`${e.stream}@${String(e.revision)}`, e.recordedAt]));
    return log.flatMap(({ stream, type, recordedAt, metadata }) =>
      Object.entries(metadata.basedOn)
        .map(([name, revision]) => `${name}@${String(revision)}`)
        .filter((place) => isBefore(recordedAt, dates.get(place) ?? ('' as Timestamp)))
        .map((place) => `${type} of ${stream} is dated before ${place}`),
    );
  }
}

/** The code of a refusal, `ok` otherwise. */
export type Outcome = string;

export class SkewedNode {
  readonly #agents: PerformAgentCommandHandler;
  readonly #interactions: PerformInteractionCommandHandler;

  constructor(
    store: EventStore,
    keys: KeyStore,
    private readonly clock: () => number,
    keyring: PlatformKeyring,
    config: Config,
  ) {
    const agents = new AgentExecution(store, keys, clock, randomBytes);
    const interactions = new InteractionExecution(store, keys, clock, randomBytes);
    const contexts = new DecisionContexts(new AgentHeadsHandler(agents), keyring, config);
    this.#agents = new PerformAgentCommandHandler(agents, config);
    this.#interactions = new PerformInteractionCommandHandler(interactions, contexts);
  }

  get now(): Timestamp {
    return timestampOf(this.clock());
  }

  /** Registers a party with its key, and others beside it. */
  async register(who: Party, ...others: readonly SigningKey[]): Promise<Outcome> {
    const keys = [who.key, ...others].filter((key) => key !== undefined);
    return this.#change(who, {
      ...register({
        agentId: who.agentId,
        clients: who.agent.clients,
        keys: keys.map((key) => this.#submission(who, key)),
      }),
    });
  }

  /** Ends a key by a change that another key of the party signs. */
  async revoke(who: Party, key: SigningKey, by: SigningKey, revision = 0): Promise<Outcome> {
    const body = { change: 'revoke-key', expectedRevision: revision, keyId: key.keyId };
    return this.#change(who, {
      kind: 'revoke-key',
      keyId: key.keyId,
      reason: undefined,
      ...this.#signed(who, body, by, revision),
    });
  }

  async replace(who: Party, key: SigningKey, by: SigningKey, revision = 0): Promise<Outcome> {
    const submission = this.#submission(who, by);
    const { keyId, proof } = submission;
    const body = {
      change: 'add-key',
      expectedRevision: revision,
      key: { keyId, jwk: by.jwk, proof },
      replaces: key.keyId,
    };
    return this.#change(who, {
      kind: 'add-key',
      key: submission,
      replaces: key.keyId,
      ...this.#signed(who, body, key, revision),
    });
  }

  async changeClients(who: Party, by: SigningKey, revision = 0): Promise<Outcome> {
    const clients = [...who.agent.clients, 'another'];
    const body = { change: 'change-clients', expectedRevision: revision, clients };
    return this.#change(who, {
      kind: 'change-clients',
      clients,
      ...this.#signed(who, body, by, revision),
    });
  }

  /** An act as it is made at this node's moment, after these. */
  async perform(act: Act, ...before: readonly Act[]): Promise<Outcome> {
    const { command, caller } = act(Scene.empty.perform(...before).at(this.clock()));
    const envelope = envelopeOf(command, caller);
    const performed = new PerformInteractionCommand(INTERACTION_ID, command, caller, envelope);
    const executed = await this.#interactions.execute(performed);
    return executed.ok ? 'ok' : executed.error.code;
  }

  async #change(who: Party, command: AgentCommand): Promise<Outcome> {
    const caller: Caller = { ...who.ownerToken, scopes: SCOPES, allScopes: SCOPES };
    const envelope = envelopeOf(command, caller);
    const executed = await this.#agents.execute(new PerformAgentCommand(command, caller, envelope));
    return executed.ok ? 'ok' : executed.error.code;
  }

  #submission({ agentId }: Party, key: SigningKey) {
    const proof = proofOf(testKeyOf(key), this.now, { agentId });
    return { keyId: key.keyId, material: { form: 'jwk' as const, ...key.jwk }, proof };
  }

  #signed({ agentId }: Party, body: object, by: SigningKey, expectedRevision: number) {
    const hash = changeHash(body);
    const signature = signatureOf(testKeyOf(by), hash, this.now, { agentId });
    return { agentId, expectedRevision, changeHash: hash, signature };
  }
}

function testKeyOf(key: SigningKey): TestKey {
  return { ...key, spki: '' };
}

function envelopeOf(body: object, caller: Caller | undefined): CommandEnvelope {
  const actor = {
    principal: caller?.principal ?? 'process:test',
    agent: caller?.agent ?? null,
    tenant: caller?.tenant ?? null,
  };
  const content = { kind: 'test', target: randomUUID(), body };
  return {
    ...commandIdentity({ actor, idempotencyKey: undefined, content, head: null }),
    actor,
    correlationId: randomUUID(),
    causationId: null,
    traceparent: null,
  };
}
