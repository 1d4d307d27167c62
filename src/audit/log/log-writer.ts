import type { RandomBytes } from '../../event-store/command-execution.js';
import type { EventStore } from '../../event-store/port.js';
import { encodeBase64Url } from '../../kernel/base64url.js';
import { hashJson } from '../../kernel/digest.js';
import type { NewEnvelope } from '../../kernel/envelope.js';
import { deriveUuid } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import { latest, timestampOf, type Clock } from '../../kernel/timestamp.js';
import { LOG_STREAM, type LogEvent } from './domain/events.js';
import { LOG_EVENT_TYPES } from './event-types.js';
import type { TreeState } from './tables.js';

/** Who writes to the stream `log`: a process of the service, no caller. */
const ACTOR = { principal: 'process:transparency-log', agent: null, tenant: null };

/** Appends to the stream `log`, at the exact revision that a decision was made on. */
export class LogWriter {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly random: RandomBytes,
  ) {}

  /**
   * @param seen the tree as it was when the event was decided on
   * @returns false after a lost race: something is in the stream that the tree has not seen
   */
  async append(event: LogEvent, seen: TreeState): Promise<boolean> {
    const expected = seen.logRevision === -1 ? 'no-stream' : seen.logRevision;
    const appended = await this.store.append(LOG_STREAM, expected, [this.#envelope(event, seen)]);
    return appended.ok;
  }

  #envelope({ type, data }: LogEvent, { logRecordedAt }: TreeState): NewEnvelope {
    const now = timestampOf(this.clock());
    // Random, and not derived from the content: two nodes must not be taken for one.
    const salt = encodeBase64Url(this.random(16));
    const id = deriveUuid(['log', salt]);
    const content: JsonObject = { ...data };
    return {
      id,
      type,
      recordedAt: logRecordedAt === null ? now : latest(now, logRecordedAt),
      schemaVersion: LOG_EVENT_TYPES[type].schemaVersion,
      data: content,
      sealed: null,
      salt,
      metadata: {
        commandId: id,
        requestDigest: hashJson(content),
        actor: ACTOR,
        correlationId: id,
        causationId: null,
        traceparent: null,
        basedOn: {},
      },
    };
  }
}
