import { decodeEvent } from '../event-store/codec.js';
import { START, type EventStore, type Position } from '../event-store/port.js';
import type { InvocationEvent } from '../invocations/domain/events.js';
import { INVOCATION_STREAM_PREFIX } from '../invocations/domain/stream.js';
import { INVOCATION_EVENT_TYPES } from '../invocations/event-types.js';
import { ERASED } from '../kernel/event.js';
import type { InteractionId } from '../kernel/ids.js';

const REQUESTS = {
  streamPrefixes: [INVOCATION_STREAM_PREFIX],
  types: ['approval-requested'] as const satisfies readonly InvocationEvent['type'][],
};

/**
 * Which streams repeat entries of a contract: those of calls under it for which an approval was asked.
 * Found in the log, where none can be missing; what was read once is remembered, so that only the first
 * question reads it from the start. Humans decide on approvals: there are few.
 */
export class RepeatedTerms {
  readonly #streams = new Map<InteractionId, string[]>();
  /** Everything up to here was read. */
  #at: Position = START;
  #reading: Promise<void> | undefined;

  constructor(private readonly store: Pick<EventStore, 'head' | 'readAll'>) {}

  /** With every request that was recorded before the call. */
  async streamsOf(interactionId: InteractionId): Promise<readonly string[]> {
    // A reading under way may have passed the place where the newest request stands.
    await this.#reading?.catch(() => undefined);
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    return this.#streams.get(interactionId) ?? [];
  }

  async #readOn(): Promise<void> {
    const head = await this.store.head();
    for await (const envelope of this.store.readAll(this.#at, REQUESTS)) {
      const event = decodeEvent<InvocationEvent>(envelope, INVOCATION_EVENT_TYPES, ERASED);
      if (event.type === 'approval-requested') {
        const { interactionId } = event.data.terms;
        const known = this.#streams.get(interactionId);
        if (known === undefined) this.#streams.set(interactionId, [envelope.stream]);
        else known.push(envelope.stream);
      }
      this.#at = envelope.position;
    }
    if (this.#at < head) this.#at = head;
  }
}
