import { StoredEvent, type EventRow } from '../event-row.js';
import type { RecordedEnvelope } from '../port.js';
import type { Connections } from './connections.js';
import type { Schema } from './schema.js';

type Newest = ReadonlyMap<string, RecordedEnvelope>;

interface Round {
  readonly streams: Set<string>;
  readonly answer: Promise<Newest>;
}

/** The newest events of streams: one question for all that are asked for in one turn of the event loop. */
export class NewestOfStreams {
  #round: Round | undefined;

  constructor(
    private readonly connections: Connections,
    private readonly schema: Schema,
  ) {}

  /** @param stream storable */
  async of(stream: string): Promise<RecordedEnvelope | undefined> {
    this.#round ??= this.#begin();
    const { streams, answer } = this.#round;
    streams.add(stream);
    return (await answer).get(stream);
  }

  #begin(): Round {
    const streams = new Set<string>();
    const isComplete = new Promise<void>((resolve) => {
      process.nextTick(resolve);
    });
    const answer = isComplete.then(() => {
      // Who comes from now on is told what is there by then.
      this.#round = undefined;
      return this.#ask([...streams]);
    });
    return { streams, answer };
  }

  async #ask(streams: readonly string[]): Promise<Newest> {
    const { quoted } = this.schema;
    const rows = await this.connections.ask<EventRow>({
      name: 'newest-of-streams',
      text: `SELECT e.position, s.name, e.revision, e.type, e.id, e.body
        FROM ${quoted}.streams s CROSS JOIN LATERAL (
          SELECT * FROM ${quoted}.events WHERE stream = s.number ORDER BY revision DESC LIMIT 1
        ) e WHERE s.name = ANY($1)`,
      values: [streams],
    });
    return new Map(
      rows.map((row) => {
        const { envelope } = new StoredEvent(row);
        return [envelope.stream, envelope] as const;
      }),
    );
  }
}
