import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/tokens.js';
import { EventStoreUnavailable, type EventStore } from '../../event-store/port.js';
import type { Loaded } from '../../event-store/stream-repository.js';
import { EVENT_STORE } from '../../event-store/tokens.js';
import type { AgentId, InteractionId } from '../../kernel/ids.js';
import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import type { ReadModel } from '../../projections/port.js';
import { READ_MODEL } from '../../projections/tokens.js';
import { letOthersRun } from '../../threads/let-others-run.js';
import type { Interaction } from '../domain/interaction.js';
import { interactionStream } from '../domain/stream.js';
import { InteractionExecution } from '../interaction-execution.js';
import {
  ContractsBetween,
  type ContractsOfPair,
  type InteractionSnapshot,
} from '../queries/contracts-between.js';
import { contractRows, type ContractRows } from './contract-rows.js';
import { InteractionTail } from './interaction-tail.js';
import { MAX_CONTRACTS, PairFolds } from './pair-folds.js';
import { areParties, pairOf, pairsAmong } from './pairs.js';
import { ParkedInteractions } from './parked-interactions.js';
import { PartiesOfStreams } from './parties-of-streams.js';
import { contractsByPair } from './projection.js';

/** Pairs and their contracts, each counted, that are kept folded. */
const KEPT = 2 * MAX_CONTRACTS;

const UNKNOWN: ContractsOfPair = { active: [], hadAny: false, isReliable: false };

/** What may be in force between two agents, none missing. */
interface Candidates {
  readonly ids: ReadonlySet<InteractionId>;
  readonly hadAny: boolean;
}

/**
 * Finds candidates in the view `contracts-by-pair` and in the tail of the log that the view may not
 * hold yet, and folds each from its stream. Folded pairs are kept current by the tail alone.
 *
 * A question first has the tail read up to the head of the log as it is then. All that it finds
 * afterwards may be newer than the question, and is never older.
 */
@Injectable()
export class LoggedContracts extends ContractsBetween {
  readonly #pairs = new LRUCache<string, PairFolds>({
    maxSize: KEPT,
    sizeCalculation: ({ size }) => size + 1,
  });
  readonly #tail: InteractionTail;
  readonly #parked: ParkedInteractions;

  constructor(
    private readonly execution: InteractionExecution,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CONFIG) private readonly config: Pick<Config, 'readWaitMs'>,
  ) {
    super();
    const parties = new PartiesOfStreams(store);
    this.#parked = new ParkedInteractions(readModel, parties);
    this.#tail = new InteractionTail({
      store,
      readModel,
      parties,
      readWaitMs: config.readWaitMs,
      onTouched: (id, among) => {
        for (const pair of pairsAmong(among)) this.#pairs.peek(pair)?.touch(id);
      },
      onSkipped: () => {
        this.#pairs.clear();
      },
    });
  }

  async now(one: AgentId, other: AgentId): Promise<ContractsOfPair> {
    const obstacle = await this.#obstacle(one, other);
    if (obstacle !== undefined) return obstacle;
    const pair = pairOf(one, other);
    const folds = this.#pairs.get(pair) ?? (await this.#foldsOf(pair, one, other));
    if (folds === undefined) return UNKNOWN;
    const { size } = folds;
    const contracts = await folds.contracts();
    if (folds.size !== size && this.#pairs.peek(pair) === folds) {
      // What grows must push others out; one that is only set again is not counted again.
      this.#pairs.delete(pair);
      this.#pairs.set(pair, folds);
    }
    return contracts;
  }

  async at(one: AgentId, other: AgentId, moment: Timestamp): Promise<ContractsOfPair> {
    const obstacle = await this.#obstacle(one, other);
    if (obstacle !== undefined) return obstacle;
    await this.#untilViewBegins();
    const candidates = this.#candidates(one, other, moment);
    if (candidates === undefined) return UNKNOWN;
    const active: InteractionSnapshot[] = [];
    let { hadAny } = candidates;
    for (const id of candidates.ids) {
      await letOthersRun();
      const read = await this.#read(id, moment);
      if (read === 'unreadable') return { active: [], hadAny, isReliable: false };
      if (read === undefined || !areParties(read.interaction.parties, one, other)) continue;
      hadAny ||= read.interaction.inForce !== null;
      if (read.interaction.status === 'active') active.push(read);
    }
    return { active, hadAny, isReliable: true };
  }

  async named(
    one: AgentId,
    other: AgentId,
    interactionId: InteractionId,
    moment?: Timestamp,
  ): Promise<InteractionSnapshot | undefined> {
    const read = await this.#read(interactionId, moment);
    if (read === undefined || read === 'unreadable') return undefined;
    return areParties(read.interaction.parties, one, other) ? read : undefined;
  }

  /** Reads the tail up to the head; tells why the two cannot be answered, undefined when they can. */
  async #obstacle(one: AgentId, other: AgentId): Promise<ContractsOfPair | undefined> {
    if (!(await this.#tail.reachHead())) return UNKNOWN;
    if (!this.#parked.areAny) return undefined;
    await this.#parked.learn();
    if (!this.#parked.concern(one, other)) return undefined;
    return { ...UNKNOWN, hadAny: this.#rows(one, other)?.hadAny === true };
  }

  /** A pair that was not asked for of late, with what may be between the two. */
  async #foldsOf(pair: string, one: AgentId, other: AgentId): Promise<PairFolds | undefined> {
    await this.#untilViewBegins();
    // From here to the end nothing is awaited: what comes later touches what is kept now.
    const known = this.#pairs.get(pair);
    if (known !== undefined) return known;
    const candidates = this.#candidates(one, other);
    if (candidates === undefined) return undefined;
    const { ids, hadAny } = candidates;
    const folds = new PairFolds(one, other, ids, hadAny, (id) => this.#read(id));
    this.#pairs.set(pair, folds);
    return folds;
  }

  /** Undefined when some may be missing, or there are too many to look at. */
  #candidates(one: AgentId, other: AgentId, moment?: Timestamp): Candidates | undefined {
    const rows = this.#rows(one, other, moment);
    if (rows === undefined || this.#parked.concern(one, other)) return undefined;
    const ids = new Set([...rows.inForce, ...this.#tail.touchedBetween(one, other)]);
    return ids.size > MAX_CONTRACTS ? undefined : { ids, hadAny: rows.hadAny };
  }

  /** Undefined as long as the view lacks what the tail does not remember. */
  #rows(one: AgentId, other: AgentId, moment?: Timestamp): ContractRows | undefined {
    const { begin } = this.#tail;
    const checkpoint = this.readModel.checkpoint(contractsByPair.name);
    if (begin === undefined || checkpoint === undefined || checkpoint < begin) return undefined;
    return contractRows(this.readModel, pairOf(one, other), moment, MAX_CONTRACTS + 1);
  }

  /** Almost always it does: the tail forgets only what the view holds. */
  async #untilViewBegins(): Promise<void> {
    const { begin } = this.#tail;
    const checkpoint = this.readModel.checkpoint(contractsByPair.name);
    if (begin === undefined || (checkpoint !== undefined && checkpoint >= begin)) return;
    await this.readModel.waitFor(begin, this.config.readWaitMs, [contractsByPair.name]);
  }

  async #read(
    id: InteractionId,
    moment?: Timestamp,
  ): Promise<InteractionSnapshot | undefined | 'unreadable'> {
    const stream = interactionStream(id);
    let loaded: Loaded<Interaction | undefined>;
    try {
      loaded =
        moment === undefined
          ? await this.execution.repository.load(stream)
          : await this.execution.repository.loadWhile(
              stream,
              ({ recordedAt }) => !isBefore(moment, recordedAt),
            );
    } catch (error) {
      // Not read now; what follows is for events that cannot be read by this build, or at all.
      if (error instanceof EventStoreUnavailable) throw error;
      return 'unreadable';
    }
    const { state, revision } = loaded;
    return state && { interaction: state, stream, streamRevision: revision };
  }
}
