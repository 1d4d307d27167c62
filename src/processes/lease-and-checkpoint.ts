import { decodeEvent } from '../event-store/codec.js';
import type { RandomBytes } from '../event-store/command-execution.js';
import type { NewEnvelope } from '../kernel/envelope.js';
import type { EventStore, Position } from '../event-store/port.js';
import { encodeBase64Url } from '../kernel/base64url.js';
import { hashJson } from '../kernel/digest.js';
import { deriveUuid } from '../kernel/ids.js';
import { fold } from '../kernel/event.js';
import type { JsonObject } from '../kernel/json.js';
import {
  latest,
  millisecondsOf,
  timestampOf,
  type Clock,
  type Timestamp,
} from '../kernel/timestamp.js';
import { PROCESS_EVENT_TYPES, processStream, type ProcessEvent } from './events.js';
import { NO_PROCESS_STATE, evolveProcess, type ProcessState } from './process-state.js';

/**
 * Lease and checkpoint of one process, as events of its own stream. Every write names the exact
 * revision that it was decided on, so of two nodes that want the lease one gets it.
 */
export class LeaseAndCheckpoint {
  #state = NO_PROCESS_STATE;
  #recordedAt: Timestamp | undefined;
  /** One try for all that want the lease at this moment. */
  #acquiring: Promise<boolean> | undefined;
  readonly #stream: string;

  constructor(
    private readonly name: string,
    private readonly node: string,
    private readonly leaseMs: number,
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly random: RandomBytes,
  ) {
    this.#stream = processStream(name);
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
    this.#state = fold(evolveProcess, this.#state, news);
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
    return this.#acquiring;
  }

  async #acquire(): Promise<boolean> {
    for (;;) {
      await this.refresh();
      if (this.foreignLease() !== null) return false;
      const until = timestampOf(this.clock() + this.leaseMs);
      const data = { node: this.node, until };
      if (await this.#append({ type: 'lease-acquired', data, texts: null })) return true;
    }
  }

  /** Another node's lease that has not run out. */
  foreignLease(): ProcessState['lease'] {
    const { lease } = this.#state;
    if (lease === null || lease.node === this.node) return null;
    return millisecondsOf(lease.until) > this.clock() ? lease : null;
  }

  /** Moves the checkpoint forward, never back; leaves it to the node that holds the lease. */
  async moveCheckpoint(position: Position): Promise<void> {
    await this.refresh();
    if (this.foreignLease() !== null || position <= this.#state.checkpoint) return;
    const data = { node: this.node, position };
    // A lost race means that the other node has just written something: next time, then.
    await this.#append({ type: 'checkpoint-moved', data, texts: null });
  }

  /** At shutdown. */
  async release(): Promise<void> {
    await this.refresh();
    if (!this.holdsLease) return;
    await this.#append({ type: 'lease-released', data: { node: this.node }, texts: null });
  }

  #remainingMs(): number {
    const { lease } = this.#state;
    if (lease?.node !== this.node) return 0;
    return millisecondsOf(lease.until) - this.clock();
  }

  /** False after a lost race. */
  async #append(event: ProcessEvent): Promise<boolean> {
    const { revision } = this.#state;
    const expected = revision === -1 ? 'no-stream' : revision;
    const appended = await this.store.append(this.#stream, expected, [this.#envelope(event)]);
    await this.refresh();
    return appended.ok;
  }

  #envelope(event: ProcessEvent): NewEnvelope {
    // Random, and not derived from the revision: two nodes of one name must not be taken for one.
    const salt = encodeBase64Url(this.random(16));
    const id = deriveUuid(['process', this.name, salt]);
    const data: JsonObject = { ...event.data };
    const now = timestampOf(this.clock());
    return {
      id,
      type: event.type,
      recordedAt: this.#recordedAt === undefined ? now : latest(now, this.#recordedAt),
      schemaVersion: PROCESS_EVENT_TYPES[event.type].schemaVersion,
      data,
      sealed: null,
      salt,
      metadata: {
        commandId: id,
        requestDigest: hashJson(data),
        actor: { principal: `process:${this.name}`, agent: null, tenant: null },
        correlationId: id,
        causationId: null,
        traceparent: null,
        basedOn: {},
      },
    };
  }
}
