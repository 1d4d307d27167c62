import { letOthersRun } from '../../threads/let-others-run.js';
import { EventStoreUnavailable } from '../port.js';

interface Pending<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (fault: unknown) => void;
}

/** A batch is complete when so many turns of the event loop have brought nothing more … */
const QUIET_TURNS = 3;
/** … and at the latest after so many turns. */
const MAX_TURNS = 16;

export interface BatchesOptions<Request, Answer> {
  /**
   * Carries out a batch, whole or not at all, and answers each request. Throws a `TypeError` when a
   * request in it is to blame.
   */
  readonly run: (batch: readonly Request[]) => Promise<readonly Answer[]>;
  /** Of a batch that begins: whether each further request joins it. The first one always does. */
  readonly joins: () => (request: Request) => boolean;
}

/**
 * Shares one transaction, and so one flush to disk and one journey to the server, among the requests
 * that arrive together or while the one before is under way. Those of
 * one kind are carried out in the order in which they came.
 */
export class Batches<Request, Answer> {
  readonly #queue: Pending<Request, Answer>[] = [];
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(private readonly options: BatchesOptions<Request, Answer>) {}

  submit(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new EventStoreUnavailable('the store is closed');
      this.#queue.push({ request, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Answers everything submitted so far and refuses what comes later. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather();
      await this.#carryOut(this.#nextBatch());
    }
    this.#running = undefined;
  }

  /** Those who were just answered may be about to ask again. */
  async #gather(): Promise<void> {
    let quiet = 0;
    for (let turns = 0; turns < MAX_TURNS && quiet < QUIET_TURNS; turns++) {
      const before = this.#queue.length;
      await letOthersRun();
      quiet = this.#queue.length > before ? 0 : quiet + 1;
    }
  }

  /** The first that wait and whatever may join them, in order; the others wait on. */
  #nextBatch(): readonly Pending<Request, Answer>[] {
    const waiting = this.#queue.splice(0);
    const batch: Pending<Request, Answer>[] = [];
    const join = this.options.joins();
    for (const pending of waiting) {
      (join(pending.request) ? batch : this.#queue).push(pending);
    }
    return batch;
  }

  async #carryOut(batch: readonly Pending<Request, Answer>[]): Promise<void> {
    try {
      const answers = await this.options.run(batch.map(({ request }) => request));
      for (const [index, pending] of batch.entries()) pending.resolve(answers[index] as Answer);
    } catch (error) {
      if (batch.length > 1 && error instanceof TypeError) {
        // The others do not pay for one that cannot be carried out.
        for (const pending of batch) await this.#carryOut([pending]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}
