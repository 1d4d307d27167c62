import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyScopeOf } from '../../../../src/event-store/codec.js';
import type { NewEnvelope } from '../../../../src/kernel/envelope.js';
import type { KeyStore } from '../../../../src/event-store/key-store.js';
import { START, type EventStore } from '../../../../src/event-store/port.js';
import { seal } from '../../../../src/event-store/sealing.js';
import { canonicalJson } from '../../../../src/kernel/canonical-json.js';
import { openSqliteEventStore } from '../../../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../../../src/event-store/sqlite/sqlite-key-store.js';
import { LoggedContracts } from '../../../../src/interactions/contracts/logged-contracts.js';
import { contractsByPair } from '../../../../src/interactions/contracts/projection.js';
import type { InteractionEvent } from '../../../../src/interactions/domain/events.js';
import { interactionStream } from '../../../../src/interactions/domain/stream.js';
import { INTERACTION_EVENT_TYPES } from '../../../../src/interactions/event-types.js';
import { InteractionExecution } from '../../../../src/interactions/interaction-execution.js';
import { ERASED, type Recorded } from '../../../../src/kernel/event.js';
import type { Contract } from '../../../../src/kernel/federated-interaction.js';
import type { AgentId, InteractionId } from '../../../../src/kernel/ids.js';
import type { JsonObject } from '../../../../src/kernel/json.js';
import type { Projection } from '../../../../src/projections/port.js';
import { ProjectionRunner } from '../../../../src/projections/projection-runner.js';
import { SqliteReadDatabase } from '../../../../src/projections/sqlite/sqlite-read-database.js';
import {
  contract,
  propose,
  Scene,
  type Act,
  type Party,
} from '../../../support/interaction-fixtures.js';

/** The contracts of one node over real stores; nodes over one folder share its log. */
export class ContractNode {
  private constructor(
    readonly folder: string,
    readonly store: EventStore,
    readonly keys: KeyStore,
    readonly database: SqliteReadDatabase,
    readonly runner: ProjectionRunner,
    readonly contracts: LoggedContracts,
  ) {}

  static async open({
    folder = mkdtempSync(join(tmpdir(), 'countersign-contracts-')),
    readWaitMs = 5_000,
    projection = contractsByPair,
    isStarted = true,
    retryDelaysMs = [1],
  }: {
    readonly folder?: string;
    readonly readWaitMs?: number;
    readonly projection?: Projection<InteractionEvent>;
    readonly isStarted?: boolean;
    readonly retryDelaysMs?: readonly number[];
  } = {}): Promise<ContractNode> {
    const store = await openSqliteEventStore(join(folder, 'events.db'));
    const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
    const database = new SqliteReadDatabase(join(folder, `read-${randomUUID()}.db`));
    const runner = new ProjectionRunner({
      store,
      keys,
      types: INTERACTION_EVENT_TYPES,
      database,
      projections: [projection],
      clock: Date.now,
      report: () => undefined,
      retryDelaysMs,
    });
    if (isStarted) runner.start();
    const execution = new InteractionExecution(store, keys, Date.now, randomBytes);
    const contracts = new LoggedContracts(execution, store, runner, { readWaitMs });
    return new ContractNode(folder, store, keys, database, runner, contracts);
  }

  /** Its view holds everything that the log holds. */
  async caughtUp(): Promise<void> {
    const reached = await this.runner.waitFor(await this.store.head(), 10_000);
    if (!reached) throw new Error('the view does not follow');
  }

  /** Its view was complete, and stands still from now on. */
  async holdView(): Promise<void> {
    await this.runner.waitFor(START, 10_000);
    await this.runner.stop();
  }

  async close(): Promise<void> {
    await this.runner.stop();
    this.database.close();
    await this.store.close();
    await this.keys.close();
  }

  async dispose(): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true });
  }
}

/** An interaction in the log, and how it goes on. */
export class Told {
  readonly id = randomUUID() as string as InteractionId;
  scene: Scene = Scene.empty;
  #written = 0;

  constructor(
    readonly parties: readonly Party[],
    readonly terms: Partial<Contract> = {},
  ) {}

  get contract(): Contract {
    const parties = this.parties.map(({ agentId }) => agentId);
    return contract({ interactionId: this.id, parties, ...this.terms });
  }

  /** By the first party to the second. */
  get proposal(): Act {
    const [first, second] = this.parties as readonly [Party, Party];
    const { contract: terms, id } = this;
    return propose(first, { contract: terms, interactionId: id, responder: second.agentId });
  }

  /** Gives commands that must succeed, and appends their events. */
  async perform(
    node: Pick<ContractNode, 'store' | 'keys'>,
    ...acts: readonly Act[]
  ): Promise<this> {
    for (const act of acts) {
      this.scene = this.scene.perform(act);
      const events = this.scene.log.slice(this.#written);
      await append(node, this.id, events);
      this.#written = this.scene.log.length;
    }
    return this;
  }
}

/** Appends to an interaction's stream, sealed as the service does it. */
async function append(
  { store, keys }: Pick<ContractNode, 'store' | 'keys'>,
  interactionId: InteractionId,
  events: readonly Recorded<InteractionEvent>[],
): Promise<void> {
  const stream = interactionStream(interactionId);
  const envelopes: NewEnvelope[] = [];
  for (const { type, data, texts, recordedAt } of events) {
    const id = randomUUID();
    let sealed: NewEnvelope['sealed'] = null;
    if (texts !== null && texts !== ERASED) {
      const key = await keys.obtain(keyScopeOf(stream));
      if (key === 'erased') throw new Error('nothing was erased');
      sealed = seal(canonicalJson(texts), key, randomBytes(12), { stream, id, type });
    }
    envelopes.push(envelopeOf(id, type, recordedAt, data as unknown as JsonObject, sealed));
  }
  const revision = events[0]?.revision ?? 0;
  const appended = await store.append(
    stream,
    revision === 0 ? 'no-stream' : revision - 1,
    envelopes,
  );
  if (!appended.ok) throw new Error('somebody else writes this stream');
}

/** An event as only a later build writes it. */
export async function appendUnknown(
  { store }: Pick<ContractNode, 'store'>,
  interactionId: InteractionId,
  revision: number,
): Promise<void> {
  const envelope = envelopeOf(randomUUID(), 'interaction-suspended', AT, { interactionId }, null);
  const stream = interactionStream(interactionId);
  const expected = revision === 0 ? 'no-stream' : revision - 1;
  const appended = await store.append(stream, expected, [envelope]);
  if (!appended.ok) throw new Error('somebody else writes this stream');
}

const AT = '2030-01-01T12:00:00.000Z' as Recorded<InteractionEvent>['recordedAt'];

function envelopeOf(
  id: string,
  type: string,
  recordedAt: NewEnvelope['recordedAt'],
  data: JsonObject,
  sealed: NewEnvelope['sealed'],
): NewEnvelope {
  return {
    id,
    type,
    recordedAt,
    schemaVersion: 1,
    data,
    sealed,
    salt: 'c2FsdA',
    metadata: {
      commandId: randomUUID(),
      requestDigest: '',
      actor: { principal: 'p', agent: null, tenant: null },
      correlationId: id,
      causationId: null,
      traceparent: null,
      basedOn: {},
    },
  };
}

/** What a scan of the whole log finds in force between two agents. */
export async function scanned(
  { store, keys }: Pick<ContractNode, 'store' | 'keys'>,
  one: AgentId,
  other: AgentId,
): Promise<readonly { readonly id: InteractionId; readonly streamRevision: number }[]> {
  const execution = new InteractionExecution(store, keys, Date.now, randomBytes);
  const streams = new Set<string>();
  for await (const { stream } of store.readAll(START)) streams.add(stream);
  const found: { id: InteractionId; streamRevision: number }[] = [];
  for (const stream of streams) {
    const { state, revision } = await execution.repository.load(stream);
    if (state?.status !== 'active') continue;
    if (!state.parties.includes(one) || !state.parties.includes(other)) continue;
    found.push({ id: state.interactionId, streamRevision: revision });
  }
  return found.sort(byId);
}

export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
