import { setTimeout as delay } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { letOthersRun } from '../../threads/let-others-run.js';
import { EventStoreUnavailable } from '../port.js';
import { asUnavailable, blamesRequest, isBusy } from './faults.js';
import { lockedTooLong, pauseBefore } from './patience.js';

interface Pending<Request, Answer> {
  readonly request: Request;
  /** On the monotonic clock, in milliseconds. */
  readonly deadline: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (fault: unknown) => void;
}

/** A group is complete when so many turns of the event loop have brought nothing more … */
const QUIET_TURNS = 6;
/** … and at the latest after so many turns. */
const MAX_TURNS = 32;

export interface CarriedOut<Request, Answer> {
  readonly request: Request;
  readonly answer: Answer;
}

export interface GroupCommitOptions<Request, Answer> {
  /**
   * Carries out one request inside the open transaction. A refusal is an answer; when it throws
   * for a reason of its own, the request fails alone.
   */
  readonly apply: (request: Request) => Answer;
  /** Requests per transaction. */
  readonly maxGroup: number;
  /** Milliseconds that a request waits for another process's lock. */
  readonly patienceMs: number;
  /** Called after each commit, before the requests are answered, with what was carried out, in order. */
  readonly onCommit?: (done: readonly CarriedOut<Request, Answer>[]) => void;
}

/**
 * Shares one transaction, and so one flush to disk, among all requests that arrive in one turn of
 * the event loop or while another process holds the lock. Requests are carried out in the order in
 * which they came and are answered only after the commit has returned.
 */
export class GroupCommit<Request, Answer> {
  #queue: Pending<Request, Answer>[] = [];
  #running: Promise<void> | undefined;
  #closed = false;
  readonly #begin: Database.Statement<[]>;
  readonly #commit: Database.Statement<[]>;
  readonly #rollback: Database.Statement<[]>;

  constructor(
    private readonly database: Database.Database,
    private readonly options: GroupCommitOptions<Request, Answer>,
  ) {
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
  }

  submit(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new EventStoreUnavailable('the store is closed');
      const deadline = performance.now() + this.options.patienceMs;
      this.#queue.push({ request, deadline, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Answers everything submitted so far and refuses what comes later. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    let refusals = 0;
    while (this.#queue.length > 0) {
      await this.#gather();
      if (this.#tryBegin()) {
        refusals = 0;
        this.#carryOut(this.#queue.splice(0, this.options.maxGroup));
      } else {
        this.#giveUpOverdue();
        await delay(pauseBefore(refusals++));
      }
    }
    this.#running = undefined;
  }

  /**
   * Lets a group grow while the event loop brings more. When there is nothing else to do, turns are
   * so short that a few of them cost nobody anything; when there is, larger groups cost all less.
   */
  async #gather(): Promise<void> {
    let quiet = 0;
    for (let turns = 0; turns < MAX_TURNS && quiet < QUIET_TURNS; turns++) {
      const before = this.#queue.length;
      if (before >= this.options.maxGroup) return;
      await letOthersRun();
      quiet = this.#queue.length > before ? 0 : quiet + 1;
    }
  }

  /** False while another process holds the write lock. */
  #tryBegin(): boolean {
    try {
      this.#begin.run();
      return true;
    } catch (error) {
      if (!isBusy(error)) this.#rejectAll(this.#queue.splice(0), error);
      return false;
    }
  }

  #giveUpOverdue(): void {
    const now = performance.now();
    const inTime = this.#queue.findIndex(({ deadline }) => deadline > now);
    const overdue = this.#queue.splice(0, inTime === -1 ? this.#queue.length : inTime);
    this.#rejectAll(overdue, lockedTooLong(this.options.patienceMs));
  }

  #carryOut(group: readonly Pending<Request, Answer>[]): void {
    const done: (CarriedOut<Request, Answer> & Pick<Pending<Request, Answer>, 'resolve'>)[] = [];
    let current: Pending<Request, Answer> | undefined;
    try {
      for (current of group) {
        const { request, resolve } = current;
        done.push({ request, answer: this.options.apply(request), resolve });
      }
      current = undefined;
      this.#commit.run();
    } catch (error) {
      this.#abandon();
      if (current !== undefined && blamesRequest(error)) {
        current.reject(error);
        // The others do not pay for it: their turn comes again, still in order.
        this.#queue.unshift(...group.filter((pending) => pending !== current));
      } else {
        this.#rejectAll(group, error);
      }
      return;
    }
    this.options.onCommit?.(done);
    for (const { answer, resolve } of done) resolve(answer);
  }

  /** SQLite has already rolled back by itself after some faults. */
  #abandon(): void {
    if (!this.database.inTransaction) return;
    try {
      this.#rollback.run();
    } catch {
      // The fault that led here is the one to report; the next BEGIN shows whether this one stays.
    }
  }

  #rejectAll(pending: readonly Pending<Request, Answer>[], error: unknown): void {
    const fault = error instanceof EventStoreUnavailable ? error : asUnavailable(error);
    for (const { reject } of pending) reject(fault);
  }
}
