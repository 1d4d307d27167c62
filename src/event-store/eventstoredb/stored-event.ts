import {
  jsonEvent,
  type AllStreamRecordedEvent,
  type EventData,
  type JSONType,
  type RecordedEvent,
} from '@eventstore/db-client';
import type { EventEnvelope, NewEnvelope } from '../../kernel/envelope.js';
import {
  EventStoreUnavailable,
  type EventFilter,
  type Position,
  type RecordedEnvelope,
} from '../port.js';
import { toPosition } from './position.js';

/** The event's data: everything of an envelope that the engine does not keep by itself. */
type Body = Omit<EventEnvelope, 'stream' | 'revision' | 'type' | 'id'>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * An envelope in the engine's form, as it is at the call. The engine's event id is the envelope's:
 * that is what makes sending it again harmless. The engine's own metadata of an event stays empty:
 * names in it that begin with `$` mean something to the engine, and ours are part of what is hashed.
 */
export function toEventData(envelope: NewEnvelope): EventData {
  const { id, type, recordedAt, schemaVersion, data, sealed, salt, metadata } = envelope;
  // The engine keeps 16 bytes and gives them back in lower case.
  if (!UUID.test(id)) throw new TypeError(`not an event id: ${id}`);
  const body: Body = { recordedAt, schemaVersion, data, salt, metadata, sealed };
  // The client writes it out later, when the caller may have changed its objects.
  return jsonEvent({ id, type, data: JSON.parse(JSON.stringify(body)) as Record<string, unknown> });
}

/** An event as it was read; its envelope is made when somebody asks, once for all who do. */
export class StoredEvent {
  readonly position: Position;
  #envelope: RecordedEnvelope | undefined;

  /** @param namespace with which the stream's name begins in the engine. */
  constructor(
    private readonly recorded: RecordedEvent | AllStreamRecordedEvent,
    private readonly namespace: string,
  ) {
    if (recorded.position === undefined) {
      throw new EventStoreUnavailable('EventStoreDB is older than 22.10, which is not supported');
    }
    this.position = toPosition(recorded.position);
  }

  get stream(): string {
    return this.recorded.streamId.slice(this.namespace.length);
  }

  /** Of its sealed texts, which are most of a large event. */
  get characters(): number {
    return bodyOf(this.recorded.data)?.sealed?.length ?? 0;
  }

  /** @throws {EventStoreUnavailable} when it is not what this adapter has written. */
  get envelope(): RecordedEnvelope {
    return (this.#envelope ??= this.#read());
  }

  matches({ streamPrefixes, types }: EventFilter): boolean {
    const { stream } = this;
    return (
      streamPrefixes?.some((prefix) => stream.startsWith(prefix)) !== false &&
      types?.includes(this.recorded.type) !== false
    );
  }

  #read(): RecordedEnvelope {
    const { id, type, revision, data } = this.recorded;
    const body = bodyOf(data);
    if (body === undefined) {
      throw new EventStoreUnavailable(`event ${id} of ${this.stream} is damaged`);
    }
    return {
      id,
      type,
      stream: this.stream,
      revision: Number(revision),
      recordedAt: body.recordedAt,
      schemaVersion: body.schemaVersion,
      data: body.data,
      sealed: body.sealed,
      salt: body.salt,
      metadata: body.metadata,
      position: this.position,
    };
  }
}

/** The client gives text for JSON that it cannot parse, and bytes for what is not JSON. */
function bodyOf(data: JSONType | Uint8Array): Body | undefined {
  const isBody =
    typeof data === 'object' &&
    'recordedAt' in data &&
    'schemaVersion' in data &&
    'data' in data &&
    'sealed' in data &&
    'salt' in data &&
    'metadata' in data;
  return isBody ? (data as unknown as Body) : undefined;
}
