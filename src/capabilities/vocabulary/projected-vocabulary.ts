import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/tokens.js';
import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import type { ReadModel } from '../../projections/port.js';
import { isDatabaseFault } from '../../projections/read-database.js';
import { READ_MODEL } from '../../projections/tokens.js';
import { Vocabulary } from '../queries/vocabulary.js';
import { CAPABILITY_VOCABULARY } from './projection.js';

type Known = Pick<ReadonlySet<string>, 'has'>;

interface Mark {
  readonly epoch: string;
  readonly change: number;
}

interface Row {
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
  readonly #settled: readonly string[];
  /** How far the view was when it was last read. */
  #mark = NOTHING;
  #since = new Map<string, Timestamp>();
  #known: Known;

  constructor(
    @Inject(READ_MODEL)
    private readonly readModel: Pick<ReadModel, 'prepare' | 'unreliableStreams'>,
    @Inject(CONFIG) config: { readonly a2a: Pick<Config['a2a'], 'vocabulary'> },
  ) {
    super();
    this.#settled = config.a2a.vocabulary;
    this.#known = new Set(this.#settled);
  }

  known(moment?: Timestamp): Known {
    this.#bringUpToDate();
    if (moment === undefined) return this.#known;
    const settled = new Set(this.#settled);
    const since = this.#since;
    return {
      has: (value) => {
        if (settled.has(value)) return true;
        const from = since.get(value);
        return from !== undefined && !isBefore(moment, from);
      },
    };
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
    if (this.readModel.unreliableStreams(CAPABILITY_VOCABULARY) === undefined) return;
    const mark =
      this.readModel.prepare<Mark>('SELECT epoch, change FROM capability_vocabulary_mark').get() ??
      NOTHING;
    if (mark.epoch === this.#mark.epoch && mark.change === this.#mark.change) return;
    const goesOn = mark.epoch === this.#mark.epoch && mark.change > this.#mark.change;
    const rows = this.readModel
      .prepare<Row>('SELECT value, since FROM capability_vocabulary WHERE change > ?')
      .all(goesOn ? this.#mark.change : 0);
    this.#since = new Map(goesOn ? this.#since : []);
    for (const { value, since } of rows) this.#since.set(value, since);
    this.#known = new Set([...this.#settled, ...this.#since.keys()]);
    this.#mark = mark;
  }
}
