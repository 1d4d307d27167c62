import { StoredEvent, type EventRow } from '../event-row.js';
import type { EventFilter } from '../port.js';
import type { Page } from '../subscription.js';
import type { Connections } from './connections.js';
import { OncePerTurn } from './once-per-turn.js';
import { isStorable } from './storable-text.js';
import type { Schema } from './schema.js';

/** Positions looked at per page. */
const PAGE_POSITIONS = 500;
/** A page ends early after so many bytes of bodies, so that large events fill no memory. */
const PAGE_BYTES = 4 * 1024 * 1024;

type PageRow = readonly [...EventRow, bytes: number];

/** Reads the log forwards in pages, each one statement: no reader holds anything open. */
export class EventPages {
  readonly #page: string;
  readonly #next: string;
  readonly #newest = new OncePerTurn<Page>();

  constructor(
    private readonly connections: Connections,
    schema: Schema,
  ) {
    // The running total of a row needs no look at its body, wherever that is stored.
    this.#page = `
      SELECT position, name, revision, type, id, body, bytes FROM (
        SELECT e.position, s.name, e.revision, e.type, e.id, e.body,
          sum(octet_length(e.body)) OVER (ORDER BY e.position)::bigint AS bytes
        FROM ${schema.quoted}.events e JOIN ${schema.quoted}.streams s ON s.number = e.stream
        WHERE e.position > $1 AND e.position <= $2
          AND ($3::text[] IS NULL OR EXISTS (SELECT FROM unnest($3::text[]) p WHERE starts_with(s.name, p)))
          AND ($4::text[] IS NULL OR e.type = ANY ($4::text[]))
      ) page WHERE bytes - octet_length(body) < ${String(PAGE_BYTES)} ORDER BY position`;
    this.#next = `SELECT min(position) FROM ${schema.quoted}.events WHERE position > $1`;
  }

  /** The events after `after`, at most up to `head`. */
  async page(after: number, head: number, filter: EventFilter = {}): Promise<Page> {
    if (head - after > PAGE_POSITIONS) return await this.#read(after, head, filter);
    // All who follow the log ask for the same newest events at the same time.
    const key = `${String(after)} ${String(head)}`;
    const { events, end } = await this.#newest.get(key, () => this.#read(after, head, {}));
    return { events: events.filter((event) => event.matches(filter)), end };
  }

  async #read(after: number, head: number, { streamPrefixes, types }: EventFilter): Promise<Page> {
    const end = Math.min(after + PAGE_POSITIONS, head);
    const rows = await this.connections.ask<PageRow>({
      name: 'page',
      text: this.#page,
      values: [after, end, storable(streamPrefixes), storable(types)],
    });
    const events = rows.map(
      ([position, stream, revision, type, id, body]) =>
        new StoredEvent([position, stream, revision, type, id, body]),
    );
    const last = rows.at(-1);
    if (last !== undefined && last[6] >= PAGE_BYTES) return { events, end: last[0] };
    if (events.length > 0 || end === head) return { events, end };
    // Over a gap in one step, however wide.
    const [next] = await this.connections.ask<readonly [number | null]>({
      name: 'next',
      text: this.#next,
      values: [end],
    });
    return { events, end: Math.min((next?.[0] ?? Infinity) - 1, head) };
  }
}

/** Those that anything stored can match; undefined asks for everything. */
function storable(texts: readonly string[] | undefined): readonly string[] | null {
  return texts?.filter(isStorable) ?? null;
}
