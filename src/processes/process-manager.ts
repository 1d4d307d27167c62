import { decodeEvent, type EventTypes } from '../event-store/codec.js';
import type { RandomBytes } from '../event-store/command-execution.js';
import {
  START,
  type EventStore,
  type Position,
  type RecordedEnvelope,
} from '../event-store/port.js';
import { hashJson } from '../kernel/digest.js';
import { ERASED, type DomainEvent } from '../kernel/event.js';
import { deriveUuid } from '../kernel/ids.js';
import type { Report } from '../kernel/report.js';
import type { Clock } from '../kernel/timestamp.js';
import { Agenda, type Entry } from './agenda.js';
import { Alarm } from './alarm.js';
import type { AgendaChange, Effect, Process } from './process.js';
import type { ProcessHealth } from './process-health.js';
import { KeptCalendar } from './kept-calendar.js';
import { LeaseAndCheckpoint } from './lease-and-checkpoint.js';
import { PROCESS_TIMING, retryDelay, type ProcessTiming } from './process-timing.js';

export interface ProcessManagerOptions<E extends DomainEvent> {
  readonly store: EventStore;
  /** The types of the context whose events the process watches. */
  readonly types: EventTypes<E>;
  /** NODE_ID: the same after a restart, different on every node. */
  readonly node: string;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly report: Report;
  readonly timing?: Partial<ProcessTiming>;
}

/** Effects under way at once: enough for the store to group their appends. */
const EFFECTS_AT_ONCE = 32;

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
export class ProcessManager<E extends DomainEvent, Item> {
  readonly #timing: ProcessTiming;
  readonly #record: LeaseAndCheckpoint;
  readonly #agenda = new Agenda<Item>();
  readonly #calendar: KeptCalendar<Item> | undefined;
  readonly #alarm = new Alarm();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  #state: ProcessHealth['state'] = 'starting';
  #seen: Position = START;
  #eventsSinceCheckpoint = 0;
  #lastEventAt = 0;
  /** Of the monotonic clock, in milliseconds. */
  #nextMove = 0;
  #unreadable = 0;
  #readFault: string | null = null;
  #actFault: string | null = null;

  constructor(
    private readonly process: Process<E, Item>,
    private readonly options: ProcessManagerOptions<E>,
  ) {
    this.#timing = { ...PROCESS_TIMING, ...options.timing };
    const { node, store, clock, random } = options;
    const timing = this.#timing;
    const writer = { name: process.name, node, clock, random };
    const record = new LeaseAndCheckpoint(writer, timing.leaseMs, store);
    this.#record = record;
    const { calendar: rules } = process;
    if (rules === undefined) return;
    const agenda = this.#agenda;
    this.#calendar = new KeptCalendar({ rules, writer, store, agenda, record, timing });
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
      seen: this.#seen,
      pending: this.#agenda.size,
      overdueMs: Math.max(0, this.options.clock() - this.#agenda.oldestDueAt()),
      unreadable: this.#unreadable,
      lastError: this.#actFault ?? this.#readFault ?? unreachable,
    };
  }

  async #run(): Promise<void> {
    await this.#untilStopped(async () => {
      await this.process.begin?.(this.#stopping.signal);
      const { checkpoint } = await this.#record.refresh();
      await Promise.all([
        this.#untilStopped(async () => this.#follow(checkpoint)),
        this.#untilStopped(async () => this.#act()),
      ]);
    });
    await this.#handOver();
    this.#state = 'stopped';
  }

  /** Runs work that ends by itself only when the process stops; after a failure it begins anew. */
  async #untilStopped(work: () => Promise<void>): Promise<void> {
    const pause = new Alarm();
    for (let attempts = 1; !this.#isStopping; attempts++) {
      try {
        await work();
        return;
      } catch (error) {
        this.#readFault = this.#report('the process stands still', error);
        await pause.sleep(retryDelay(this.#timing, attempts), this.#stopping.signal);
      }
    }
  }

  // ---- reading

  /** @param checkpoint where to begin when nothing was read yet. */
  async #follow(checkpoint: Position): Promise<void> {
    if (this.#seen < checkpoint) this.#seen = checkpoint;
    const { streamPrefixes, watches } = this.process;
    const messages = this.options.store.subscribeAll(this.#seen, {
      filter: { streamPrefixes, types: watches },
      signal: this.#stopping.signal,
    });
    for await (const message of messages) {
      if (message.kind === 'event') {
        this.#read(message.event);
        this.#seen = message.event.position;
      } else {
        this.#seen = message.position;
        this.#state = 'following';
        this.#readFault = null;
        this.#alarm.ring();
      }
    }
    if (!this.#isStopping) throw new Error('the event store has ended the subscription');
  }

  #read(envelope: RecordedEnvelope): void {
    const { id, stream, position, metadata } = envelope;
    this.#eventsSinceCheckpoint++;
    this.#lastEventAt = this.options.clock();
    try {
      const { types } = this.options;
      const decoded = decodeEvent(envelope, types, ERASED);
      const event = { id, stream, position, metadata, ...decoded };
      this.#change(
        this.process.react(event, (key) => this.#agenda.get(key)),
        position,
      );
    } catch (error) {
      // From a later build, most likely: a node of that build does what it asks for. The checkpoint
      // stays before it, so that this node sees it again after its own update.
      this.#report(`event ${id} of ${stream} cannot be read`, error);
      this.#unreadable++;
      this.#agenda.block(this.#seen);
    }
  }

  #change(change: AgendaChange<Item>, position: Position): void {
    switch (change.kind) {
      case 'add': {
        const { key, item } = change;
        const dueAt = change.dueAt === 'at-once' ? this.options.clock() : change.dueAt;
        const origin = { kind: 'event', position, after: this.#seen } as const;
        this.#agenda.add({ key, item, dueAt, origin });
        return;
      }
      case 'replace':
        this.#agenda.replace(change.key, change.item);
        return;
      case 'remove':
        this.#agenda.remove(change.key);
        return;
      case 'none':
        return;
    }
  }

  // ---- acting

  async #act(): Promise<void> {
    while (!this.#isStopping) {
      const due = this.#takeDue();
      if (due.length > 0) {
        await Promise.all(due.map(async (entry) => this.#do(entry)));
      } else {
        await this.#tendCalendar();
        await this.#moveCheckpoint();
        await this.#alarm.sleep(this.#sleepMs(), this.#stopping.signal);
      }
    }
  }

  async #tendCalendar(): Promise<void> {
    if (this.#state !== 'following') return;
    if ((await this.#calendar?.tend()) === true) this.#alarm.ring();
  }

  /** Nothing before the head is known: the log may hold what ends an entry. */
  #takeDue(): Entry<Item>[] {
    if (this.#state !== 'following') return [];
    return this.#agenda.takeDue(this.options.clock(), EFFECTS_AT_ONCE);
  }

  async #do(entry: Entry<Item>): Promise<void> {
    try {
      const effects = await this.process.effects(entry.item);
      if ('notBefore' in effects) {
        this.#agenda.postpone(entry, effects.notBefore);
        return;
      }
      if (effects.length > 0 && !(await this.#record.ensureLease())) {
        this.#putOff(entry, this.#timing.foreignLeasePollMs, entry.attempts);
        return;
      }
      for (const effect of effects) await this.#perform(effect);
      this.#agenda.finish(entry);
      this.#actFault = null;
    } catch (error) {
      this.#actFault = this.#report(`${entry.key} could not be done`, error);
      const attempts = entry.attempts + 1;
      this.#putOff(entry, retryDelay(this.#timing, attempts), attempts);
    }
  }

  async #perform(effect: Effect): Promise<void> {
    const { name } = this.process;
    const result = await effect.perform({
      commandId: deriveUuid(['process', name, ...effect.name]),
      requestDigest: hashJson([name, ...effect.name]),
      actor: { principal: `process:${name}`, agent: null, tenant: null },
      correlationId: effect.cause.correlationId,
      causationId: effect.cause.eventId,
      traceparent: null,
    });
    if (!result.ok && this.process.judge(result.error) === 'later') {
      throw new Error(`refused for now: ${result.error.code}`);
    }
  }

  #putOff(entry: Entry<Item>, delayMs: number, attempts: number): void {
    this.#agenda.putOff(entry, this.options.clock() + delayMs, attempts);
  }

  #sleepMs(): number {
    const { longestSleepMs, idleMs } = this.#timing;
    const next = this.#state === 'following' ? this.#agenda.nextTryAt() : undefined;
    const untilNext = next === undefined ? Infinity : next - this.options.clock();
    const untilIdle = this.#wantsCheckpoint ? idleMs : Infinity;
    const untilTended = this.#calendar?.sleepMs ?? Infinity;
    return Math.max(1, Math.min(untilNext, untilIdle, untilTended, longestSleepMs));
  }

  // ---- checkpoint and lease

  get #wantsCheckpoint(): boolean {
    if (this.#eventsSinceCheckpoint < this.#timing.checkpointAfterEvents) return false;
    if (this.#lowWater > this.#record.state.checkpoint) return true;
    return this.#calendar?.hasMuchLater === true;
  }

  async #moveCheckpoint(): Promise<void> {
    if (this.#state !== 'following' || !this.#wantsCheckpoint) return;
    const isIdle = this.options.clock() - this.#lastEventAt >= this.#timing.idleMs;
    const isLate = this.#eventsSinceCheckpoint >= this.#timing.checkpointAtLatestAfterEvents;
    if ((!isIdle && !isLate) || performance.now() < this.#nextMove) return;
    // What is read while the checkpoint is written counts for the next one.
    const counted = this.#eventsSinceCheckpoint;
    await this.#calendar?.noteMuchLater();
    await this.#record.moveCheckpoint(this.#lowWater);
    // Another node's, it may be: what that one has done or noted is not to be kept here either.
    if (this.#calendar !== undefined) this.#agenda.forgetUpTo(this.#record.state.checkpoint);
    if (this.#calendar?.hasMuchLater === true) {
      // That one is still about it: soon there is more to forget.
      this.#nextMove = performance.now() + this.#timing.foreignLeasePollMs;
    } else {
      this.#eventsSinceCheckpoint -= counted;
    }
  }

  async #handOver(): Promise<void> {
    try {
      if (this.#state === 'following' && this.#eventsSinceCheckpoint > 0) {
        await this.#record.moveCheckpoint(this.#lowWater);
      }
      await this.#record.release();
    } catch (error) {
      // The lease runs out by itself, and the next start reads a few events again.
      this.#report('lease and checkpoint could not be handed over', error);
    }
  }

  get #lowWater(): Position {
    return this.#agenda.lowWater(this.#seen);
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** @returns the fault as one line, for `health`. */
  #report(what: string, error: unknown): string {
    this.options.report(what, { process: this.process.name, error });
    return faultText(what, error);
  }
}

function faultText(what: string, error: unknown): string {
  return `${what}: ${error instanceof Error ? error.message : String(error)}`;
}
