import type { Position } from '../event-store/port.js';
import type { Clock } from '../kernel/timestamp.js';
import type { Agenda } from './agenda.js';
import type { ReadSoFar } from './followed-log.js';
import type { KeptCalendar } from './kept-calendar.js';
import type { LeaseAndCheckpoint } from './lease-and-checkpoint.js';
import type { ProcessTiming } from './process-timing.js';

export interface CheckpointMovesOptions<Item> {
  readonly agenda: Agenda<Item>;
  readonly calendar: KeptCalendar<Item> | undefined;
  readonly record: LeaseAndCheckpoint;
  readonly read: ReadSoFar;
  readonly timing: ProcessTiming;
  readonly clock: Clock;
}

/**
 * Moves a process's checkpoint to where everything is done or noted: rarely, when nothing else happens,
 * or in any case after very many events.
 */
export class CheckpointMoves<Item> {
  /** Of the events read: those before the last move. */
  #counted = 0;
  /** Of the monotonic clock, in milliseconds. */
  #nextMove = 0;

  constructor(private readonly options: CheckpointMovesOptions<Item>) {}

  /** For how long the process may sleep, in milliseconds. */
  get sleepMs(): number {
    return this.#isWanted ? this.options.timing.idleMs : Infinity;
  }

  /** Moves it if the time has come. */
  async tend(): Promise<void> {
    const { agenda, calendar, record, read, timing, clock } = this.options;
    if (!this.#isWanted) return;
    const isIdle = clock() - read.lastEventAt >= timing.idleMs;
    const isLate = this.#uncounted >= timing.checkpointAtLatestAfterEvents;
    if ((!isIdle && !isLate) || performance.now() < this.#nextMove) return;
    // What is read while the checkpoint is written counts for the next one.
    const { eventsRead } = read;
    await calendar?.noteMuchLater();
    await record.moveCheckpoint(this.#lowWater);
    // Another node's, it may be: what that one has done or noted is not to be kept here either.
    if (calendar !== undefined) agenda.forgetUpTo(record.state.checkpoint);
    if (calendar?.hasMuchLater === true) {
      // That one is still about it: soon there is more to forget.
      this.#nextMove = performance.now() + timing.foreignLeasePollMs;
    } else {
      this.#counted = eventsRead;
    }
  }

  /** At shutdown: after a single event already. */
  async moveForNextStart(): Promise<void> {
    const { record, read } = this.options;
    if (read.isFollowing && this.#uncounted > 0) await record.moveCheckpoint(this.#lowWater);
  }

  get #isWanted(): boolean {
    const { calendar, record, read, timing } = this.options;
    if (!read.isFollowing || this.#uncounted < timing.checkpointAfterEvents) return false;
    return this.#lowWater > record.state.checkpoint || calendar?.hasMuchLater === true;
  }

  get #uncounted(): number {
    return this.options.read.eventsRead - this.#counted;
  }

  get #lowWater(): Position {
    return this.options.agenda.lowWater(this.options.read.seen);
  }
}
