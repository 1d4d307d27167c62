import type { RandomBytes } from '../../event-store/command-execution.js';
import { ownEnvelope, type OwnWriter } from '../../event-store/own-envelope.js';
import type { EventStore } from '../../event-store/port.js';
import type { Clock } from '../../kernel/timestamp.js';
import { LOG_STREAM, type LogEvent } from './domain/events.js';
import { LOG_EVENT_TYPES } from './event-types.js';
import type { TreeState } from './tables.js';

/** Who writes to the stream `log`: a process of the service, no caller. */
const PRINCIPAL = 'process:transparency-log';

/**
 * Appends checkpoints and their cosignatures to the stream `log`, each at the exact revision that it was
 * decided on.
 */
export class CheckpointWriter {
  readonly #writer: OwnWriter;

  constructor(
    private readonly store: EventStore,
    clock: Clock,
    random: RandomBytes,
  ) {
    this.#writer = { principal: PRINCIPAL, clock, random };
  }

  /**
   * @param seen the tree as it was when the event was decided on
   * @returns false after a lost race: something is in the stream that the tree has not seen
   */
  async append(event: LogEvent, seen: TreeState): Promise<boolean> {
    const expected = seen.logRevision === -1 ? 'no-stream' : seen.logRevision;
    const previous = seen.logRecordedAt ?? undefined;
    const envelope = ownEnvelope(this.#writer, event, LOG_EVENT_TYPES, previous);
    const appended = await this.store.append(LOG_STREAM, expected, [envelope]);
    return appended.ok;
  }

  /** Of the newest event of the stream; -1 when there is none. */
  async revision(): Promise<number> {
    return (await this.store.readLast(LOG_STREAM))?.revision ?? -1;
  }
}
