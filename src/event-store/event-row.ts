import type { EventEnvelope, NewEnvelope } from '../kernel/envelope.js';
import {
  EventStoreUnavailable,
  type Basis,
  type EventFilter,
  type Position,
  type RecordedEnvelope,
} from './port.js';

/** An event as a table of an SQL database gives it. */
export type EventRow = readonly [
  position: number,
  stream: string,
  revision: number,
  type: string,
  id: string,
  body: string,
];

/** An envelope on its way into the table; what has a column of its own is not in the body. */
export interface NewRow {
  readonly type: string;
  readonly id: string;
  /** JSON text of the envelope's other members. */
  readonly body: string;
}

export interface AppendRequest {
  readonly stream: string;
  /** Revision that the stream must stand at, -1 for no stream. */
  readonly after: number;
  readonly rows: readonly NewRow[];
  readonly basis: Basis;
}

type Body = Omit<EventEnvelope, 'stream' | 'revision' | 'type' | 'id'>;

export function toRow(envelope: NewEnvelope): NewRow {
  const { id, type, recordedAt, schemaVersion, data, sealed, salt, metadata } = envelope;
  const rest: Omit<Body, 'sealed'> = { recordedAt, schemaVersion, data, salt, metadata };
  // Sealed texts are most of an event, and need no escaping, to look for which costs as much as all the rest.
  const sealedJson = sealed === null ? 'null' : `"${sealed}"`;
  return { type, id, body: `${JSON.stringify(rest).slice(0, -1)},"sealed":${sealedJson}}` };
}

/** An event as it lies in the table; its body is parsed when somebody asks, once for all who do. */
export class StoredEvent {
  #envelope: RecordedEnvelope | undefined;

  constructor(private readonly row: EventRow) {}

  get position(): number {
    return this.row[0];
  }

  get stream(): string {
    return this.row[1];
  }

  get revision(): number {
    return this.row[2];
  }

  /** Length of its body. */
  get characters(): number {
    return this.row[5].length;
  }

  /** @throws {EventStoreUnavailable} when it is damaged. */
  get envelope(): RecordedEnvelope {
    return (this.#envelope ??= fromRow(this.row));
  }

  /** Says what the conditions say by which an engine filters. */
  matches({ streamPrefixes, types }: EventFilter): boolean {
    const [, stream, , type] = this.row;
    return (
      streamPrefixes?.some((prefix) => stream.startsWith(prefix)) !== false &&
      types?.includes(type) !== false
    );
  }
}

function fromRow([position, stream, revision, type, id, text]: EventRow): RecordedEnvelope {
  let body: Body;
  try {
    body = JSON.parse(text) as Body;
  } catch (cause) {
    throw new EventStoreUnavailable(`event ${id} of ${stream} is damaged`, { cause });
  }
  return {
    id,
    type,
    stream,
    revision,
    recordedAt: body.recordedAt,
    schemaVersion: body.schemaVersion,
    data: body.data,
    sealed: body.sealed,
    salt: body.salt,
    metadata: body.metadata,
    position: toPosition(position),
  };
}

const POSITION_DIGITS = 20;

export function toPosition(rowid: number): Position {
  return String(rowid).padStart(POSITION_DIGITS, '0') as Position;
}

/** @throws {TypeError} for a position that is not of this engine. */
export function toRowid(position: Position): number {
  if (!isRowid(position)) throw new TypeError(`not a position of this store: ${position}`);
  return Number(position);
}

/** Whether it may be a position of an engine whose positions are row ids. */
export function isRowid(position: Position): boolean {
  return /^\d{20}$/.test(position) && Number.isSafeInteger(Number(position));
}
