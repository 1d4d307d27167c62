import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { hostTenant, type HostedAgent } from '../../config/hosted-agents.js';
import { CONFIG, HOSTED_AGENTS } from '../../config/tokens.js';
import type { AgentId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { ReadModel } from '../../projections/port.js';
import { isDatabaseFault } from '../../projections/read-database.js';
import { READ_MODEL } from '../../projections/tokens.js';
import type { KnownIdentifiers } from '../domain/known-identifiers.js';
import { Vocabulary } from '../queries/vocabulary.js';
import { capabilityVocabulary } from './projection.js';
import { Words } from './words.js';

interface Mark {
  readonly epoch: string;
  readonly change: number;
}

interface Row {
  readonly agentId: AgentId;
  readonly value: string;
  readonly since: Timestamp;
}

const NOTHING: Mark = { epoch: '', change: 0 };

/**
 * The vocabulary over the view `capability-vocabulary`: loads what was added since it last looked. As
 * long as it lacks a value, that value is prose, which allows nothing that the value would not.
 */
@Injectable()
export class ProjectedVocabulary extends Vocabulary {
  /** What is set: all that is known of agents without manifests. */
  readonly #settled: Words;
  /** How far the view was when it was last read. */
  #mark = NOTHING;
  #everywhere: Words;
  /** By whose they are, see {@link #ownerOf}. */
  readonly #own = new Map<string, Words>();

  constructor(
    @Inject(READ_MODEL)
    private readonly readModel: Pick<ReadModel, 'prepare' | 'unreliableStreams'>,
    @Inject(CONFIG) config: { readonly a2a: Pick<Config['a2a'], 'vocabulary'> },
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
  ) {
    super();
    this.#settled = Words.settled(config.a2a.vocabulary);
    this.#everywhere = this.#settled;
  }

  of(agentId: AgentId): KnownIdentifiers {
    this.#bringUpToDate();
    return this.#own.get(this.#ownerOf(agentId)) ?? this.#settled;
  }

  everywhere(): KnownIdentifiers {
    this.#bringUpToDate();
    return this.#everywhere;
  }

  settled(): KnownIdentifiers {
    return this.#settled;
  }

  /** The tenant for which it is hosted; of an agent that no longer is, it alone. */
  #ownerOf(agentId: AgentId): string {
    const tenant = hostTenant(this.hosted, agentId);
    return JSON.stringify(tenant === null ? { agentId } : { tenant });
  }

  /** A view that cannot be read now is one that lags. */
  #bringUpToDate(): void {
    try {
      this.#readOn();
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
    }
  }

  #readOn(): void {
    // Until the views are taken up, what stands there may be another log's, or nothing at all.
    if (this.readModel.unreliableStreams(capabilityVocabulary.name) === undefined) return;
    const mark =
      this.readModel.prepare<Mark>('SELECT epoch, change FROM capability_vocabulary_mark').get() ??
      NOTHING;
    if (mark.epoch === this.#mark.epoch && mark.change === this.#mark.change) return;
    const goesOn = mark.epoch === this.#mark.epoch && mark.change > this.#mark.change;
    const rows = this.readModel
      .prepare<Row>(
        'SELECT agent_id AS agentId, value, since FROM capability_vocabulary WHERE change > ?',
      )
      .all(goesOn ? this.#mark.change : 0);
    const added = new Map<string, Row[]>();
    for (const row of rows) {
      const owner = this.#ownerOf(row.agentId);
      const others = added.get(owner);
      if (others === undefined) added.set(owner, [row]);
      else others.push(row);
    }
    if (!goesOn) this.#own.clear();
    for (const [owner, values] of added) {
      this.#own.set(owner, (this.#own.get(owner) ?? this.#settled).with(values));
    }
    this.#everywhere = (goesOn ? this.#everywhere : this.#settled).with(rows);
    this.#mark = mark;
  }
}
