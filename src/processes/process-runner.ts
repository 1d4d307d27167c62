import type { EventTypes } from '../event-store/codec.js';
import type { RandomBytes } from '../event-store/command-execution.js';
import type { EventStore } from '../event-store/port.js';
import type { DomainEvent } from '../kernel/event.js';
import type { Reporter } from '../kernel/reporter.js';
import type { Clock } from '../kernel/timestamp.js';
import { Agenda } from './agenda.js';
import { Alarm } from './alarm.js';
import { CheckpointMoves } from './checkpoint-moves.js';
import { DueEffects } from './due-effects.js';
import { faultText, reportFaultOf, type ReportFault } from './fault.js';
import { FollowedLog } from './followed-log.js';
import { KeptCalendar } from './kept-calendar.js';
import { LeaseAndCheckpoint } from './lease-and-checkpoint.js';
import type { Process } from './process.js';
import type { ProcessHealth } from './process-health.js';
import { PROCESS_TIMING, type ProcessTiming } from './process-timing.js';
import { RetriedLoop } from './retried-loop.js';

export interface ProcessRunnerOptions<E extends DomainEvent> {
  readonly store: EventStore;
  /** The types of the context whose events the process watches. */
  readonly types: EventTypes<E>;
  /** NODE_ID: the same after a restart, different on every node. */
  readonly node: string;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly report: Reporter;
  readonly timing?: Partial<ProcessTiming>;
}

/**
 * Runs one process: reads the log after the process's checkpoint, keeps what is to be done on an
 * agenda, and does it when it is due.
 *
 * - Every node reads; the one that holds the lease acts. The lease is taken when there is something
 *   to do and runs out when there is nothing, so that an idle service writes nothing.
 * - Effects are named, idempotent commands: should two nodes act after all (a clock that is wrong, a
 *   crash between effect and checkpoint) the log still holds each effect once.
 * - The checkpoint is a low-water mark. It is written rarely: what lies after it is read again at
 *   the next start, and what is found done there is not done again.
 * - What is due much later is noted on a calendar before the checkpoint passes it, where the process
 *   keeps one: neither memory nor the next start grows with it.
 */
export class ProcessRunner<E extends DomainEvent, Item> {
  readonly #timing: ProcessTiming;
  readonly #reportFault: ReportFault;
  readonly #agenda: Agenda<Item>;
  readonly #alarm = new Alarm();
  readonly #stopping = new AbortController();
  readonly #record: LeaseAndCheckpoint;
  readonly #calendar: KeptCalendar<Item> | undefined;
  readonly #log: FollowedLog<E, Item>;
  readonly #effects: DueEffects<Item>;
  readonly #checkpoint: CheckpointMoves<Item>;
  readonly #beginning: RetriedLoop;
  readonly #reading: RetriedLoop;
  readonly #acting: RetriedLoop;
  #running: Promise<void> | undefined;
  #hasStopped = false;

  constructor(
    private readonly process: Process<E, Item>,
    private readonly options: ProcessRunnerOptions<E>,
  ) {
    const { node, store, types, clock, random, report } = options;
    const timing = { ...PROCESS_TIMING, ...options.timing };
    const reportFault = reportFaultOf(process.name, report);
    const { calendar: rules } = process;
    const agenda = new Agenda<Item>(
      (dueAt) => rules !== undefined && dueAt >= clock() + timing.muchLaterMs,
    );
    const { signal } = this.#stopping;
    this.#agenda = agenda;
    this.#timing = timing;
    this.#reportFault = reportFault;

    const retried = { timing, reportFault, signal };
    this.#beginning = new RetriedLoop({ ...retried, whenFailing: 'the process cannot begin' });
    this.#reading = new RetriedLoop({ ...retried, whenFailing: 'the log cannot be read' });
    this.#acting = new RetriedLoop({ ...retried, whenFailing: 'the process stands still' });

    const writer = { name: process.name, node, clock, random };
    const record = new LeaseAndCheckpoint(writer, timing.leaseMs, store);
    const calendar =
      rules && new KeptCalendar({ rules, writer, store, agenda, record, timing, reportFault });
    const loop = this.#reading;
    const onCaughtUp = (): void => {
      this.#alarm.ring();
    };
    const read = new FollowedLog({
      ...{ process, types, store, agenda, clock, reportFault, loop, signal, onCaughtUp },
    });
    this.#record = record;
    this.#calendar = calendar;
    this.#log = read;
    this.#effects = new DueEffects({ process, agenda, record, timing, clock, reportFault });
    this.#checkpoint = new CheckpointMoves({ agenda, calendar, record, read, timing, clock });
  }

  /** Returns at once; nothing is done before the log has been read to its head. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Lets effects under way finish, stores how far it came and gives the lease back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Never fails: what the store does not tell is what was last known. */
  async health(): Promise<ProcessHealth> {
    const unreachable = await this.#record.refresh().then(
      () => null,
      (error: unknown) => faultText('the process stream cannot be read', error),
    );
    const { lease, checkpoint } = this.#record.state;
    return {
      name: this.process.name,
      node: this.options.node,
      state: this.#state,
      lease: this.#record.holdsLease ? lease : this.#record.foreignLease(),
      checkpoint,
      seen: this.#log.seen,
      pending: this.#agenda.size,
      overdueMs: Math.max(0, this.options.clock() - this.#oldestDueAt),
      unreadable: this.#log.unreadable,
      lastError: this.#fault ?? unreachable,
    };
  }

  get #state(): ProcessHealth['state'] {
    if (this.#hasStopped) return 'stopped';
    return this.#log.isFollowing ? 'following' : 'starting';
  }

  get #fault(): string | null {
    return (
      this.#effects.fault ??
      this.#acting.fault ??
      this.#calendar?.fault ??
      this.#reading.fault ??
      this.#beginning.fault
    );
  }

  get #oldestDueAt(): number {
    return Math.min(this.#agenda.oldestDueAt(), this.#calendar?.oldestDueAt ?? Infinity);
  }

  async #run(): Promise<void> {
    await this.#beginning.run(async () => {
      await this.process.begin?.(this.#stopping.signal);
      const { checkpoint } = await this.#record.refresh();
      this.#beginning.madeProgress();
      await Promise.all([
        this.#log.follow(checkpoint),
        this.#acting.run(async () => await this.#act()),
      ]);
    });
    await this.#handOver();
    this.#hasStopped = true;
  }

  async #act(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#log.isFollowing) {
        // Never fails: a fault there is the item's. The turn ends with calendar and checkpoint.
        if (await this.#effects.doDue()) continue;
        if ((await this.#calendar?.tend()) === true) this.#alarm.ring();
        await this.#checkpoint.tend();
        this.#acting.madeProgress();
      }
      await this.#alarm.sleep(this.#sleepMs(), this.#stopping.signal);
    }
  }

  #sleepMs(): number {
    const next = this.#log.isFollowing ? this.#agenda.nextTryAt() : undefined;
    const untilNext = next === undefined ? Infinity : next - this.options.clock();
    const untilMove = this.#checkpoint.sleepMs;
    const untilTended = this.#calendar?.sleepMs ?? Infinity;
    return Math.max(1, Math.min(untilNext, untilMove, untilTended, this.#timing.longestSleepMs));
  }

  async #handOver(): Promise<void> {
    try {
      await this.#checkpoint.moveForNextStart();
      await this.#record.release();
    } catch (error) {
      // The lease runs out by itself, and the next start reads a few events again.
      this.#reportFault('lease and checkpoint could not be handed over', error);
    }
  }
}
