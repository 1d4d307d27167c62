import { decodeEvent } from '../event-store/codec.js';
import type { EventStore } from '../event-store/port.js';
import type { InteractionId } from '../kernel/ids.js';
import { processEnvelope, type ProcessWriter } from './process-envelope.js';
import { RETENTION_EVENT_TYPES, retentionStream, type RetentionNoted } from './retention-events.js';

/**
 * `retentionDays` stands in the sealed terms and goes with their key. So it is noted in the clear before
 * the key is destroyed: whoever comes after a crash still has it for the record of the erasure.
 */
export class RetentionNotes {
  constructor(
    private readonly writer: ProcessWriter,
    private readonly store: Pick<EventStore, 'append' | 'readStream'>,
  ) {}

  /** Durable when it returns. */
  async note(interactionId: InteractionId, days: number): Promise<void> {
    const event: RetentionNoted = {
      type: 'retention-noted',
      data: { interactionId, days },
      texts: null,
    };
    const envelope = processEnvelope(this.writer, event, undefined);
    // A conflict is no fault: whoever was there before, and got no further, has noted the same.
    await this.store.append(retentionStream(this.writer.name, interactionId), 'no-stream', [
      envelope,
    ]);
  }

  /** @returns the days; null when none were noted. */
  async find(interactionId: InteractionId): Promise<number | null> {
    const [noted] = await this.store.readStream(
      retentionStream(this.writer.name, interactionId),
      0,
      1,
    );
    return noted === undefined
      ? null
      : decodeEvent<RetentionNoted>(noted, RETENTION_EVENT_TYPES, undefined).data.days;
  }
}
