import { decodeEvent } from '../event-store/codec.js';
import type { EventStore, Position } from '../event-store/port.js';
import { fold } from '../kernel/event.js';
import { millisecondsOf, timestampOf, type Timestamp } from '../kernel/timestamp.js';
import { PROCESS_EVENT_TYPES, processStream, type ProcessEvent } from './events.js';
import { processEnvelope, type ProcessWriter } from './process-envelope.js';
import { NO_PROCESS_STATE, evolveProcess, type ProcessState } from './process-state.js';

/**
 * Lease and checkpoint of one process, as events of its own stream. Every write names the exact
 * revision that it was decided on, so of two nodes that want the lease one gets it.
 */
export class LeaseAndCheckpoint {
  #state = NO_PROCESS_STATE;
  #recordedAt: Timestamp | undefined;
  /** By this node's clock, when it first saw the lease as it is. */
  #leaseSeenAt = 0;
  /** One try for all that want the lease at this moment. */
  #acquiring: Promise<boolean> | undefined;
  readonly #stream: string;

  constructor(
    private readonly writer: ProcessWriter,
    private readonly leaseMs: number,
    private readonly store: EventStore,
  ) {
    this.#stream = processStream(writer.name);
  }

  /** As of the last look at the stream. */
  get state(): ProcessState {
    return this.#state;
  }

  async refresh(): Promise<ProcessState> {
    const from = this.#state.revision + 1;
    const events = (await this.store.readStream(this.#stream, from)).map((envelope) =>
      decodeEvent<ProcessEvent>(envelope, PROCESS_EVENT_TYPES, undefined),
    );
    // Two looks at once may have read the same events.
    const news = events.filter(({ revision }) => revision > this.#state.revision);
    const { lease } = this.#state;
    this.#state = fold(evolveProcess, this.#state, news);
    if (this.#state.lease !== lease) this.#leaseSeenAt = this.writer.clock();
    this.#recordedAt = news.at(-1)?.recordedAt ?? this.#recordedAt;
    return this.#state;
  }

  /** Whether this node holds the lease now, by what it last saw. */
  get holdsLease(): boolean {
    return this.#remainingMs() > 0;
  }

  /**
   * Gets or keeps the lease; prolongs it when half of it is gone. False while another node's lease
   * runs. A lease of this node's own name counts, so that a restart after a crash acts at once.
   */
  async ensureLease(): Promise<boolean> {
    if (this.#remainingMs() > this.leaseMs / 2) return true;
    this.#acquiring ??= this.#acquire().finally(() => (this.#acquiring = undefined));
    return await this.#acquiring;
  }

  async #acquire(): Promise<boolean> {
    for (;;) {
      await this.refresh();
      if (this.foreignLease() !== null) return false;
      const until = timestampOf(this.writer.clock() + this.leaseMs);
      const data = { node: this.writer.node, until };
      if (await this.#append({ type: 'lease-acquired', data, texts: null })) return true;
    }
  }

  /** Another node's lease that has not run out. */
  foreignLease(): ProcessState['lease'] {
    const { lease } = this.#state;
    if (lease === null || lease.node === this.writer.node) return null;
    return this.#endsInMs(lease) > 0 ? lease : null;
  }

  /** Moves the checkpoint forward, never back; leaves it to the node that holds the lease. */
  async moveCheckpoint(position: Position): Promise<void> {
    await this.refresh();
    if (this.foreignLease() !== null || position <= this.#state.checkpoint) return;
    const data = { node: this.writer.node, position };
    // A lost race means that the other node has just written something: next time, then.
    await this.#append({ type: 'checkpoint-moved', data, texts: null });
  }

  /** At shutdown. */
  async release(): Promise<void> {
    await this.refresh();
    if (!this.holdsLease) return;
    await this.#append({ type: 'lease-released', data: { node: this.writer.node }, texts: null });
  }

  #remainingMs(): number {
    const { lease } = this.#state;
    return lease?.node === this.writer.node ? this.#endsInMs(lease) : 0;
  }

  /**
   * A lease that was written by a clock that was ahead ends with its length, counted from when it was
   * seen: it must not stand until real time has caught up.
   */
  #endsInMs({ until }: NonNullable<ProcessState['lease']>): number {
    const now = this.writer.clock();
    // This node's own clock was ahead when it saw it.
    if (this.#leaseSeenAt > now) this.#leaseSeenAt = now;
    return Math.min(millisecondsOf(until), this.#leaseSeenAt + this.leaseMs) - now;
  }

  /** False after a lost race. */
  async #append(event: ProcessEvent): Promise<boolean> {
    const { revision } = this.#state;
    const expected = revision === -1 ? 'no-stream' : revision;
    const envelope = processEnvelope(this.writer, event, this.#recordedAt);
    const appended = await this.store.append(this.#stream, expected, [envelope]);
    await this.refresh();
    return appended.ok;
  }
}
