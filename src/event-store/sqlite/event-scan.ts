import type Database from 'better-sqlite3';
import type { EventFilter } from '../port.js';
import { SELECT_EVENTS, type EventRow } from './event-row.js';

/** Rows looked at per page: a few milliseconds of work, after which others get their turn. */
const PAGE_ROWS = 256;
/** A page ends early after so many characters of bodies, so that large events fill no memory. */
const PAGE_CHARACTERS = 4 * 1024 * 1024;

export interface Page {
  readonly rows: readonly EventRow[];
  /** Rowid up to which the filter's every event has been returned. */
  readonly end: number;
}

/** Reads the log forwards in pages. Each page is read at once, so no reader holds up a checkpoint. */
export class EventScan {
  readonly #rows: Database.Statement<unknown[], EventRow>;
  readonly #next: Database.Statement<[number], number>;
  readonly #filterValues: readonly string[];

  constructor(database: Database.Database, filter: EventFilter = {}) {
    const { condition, values } = filterSql(filter);
    this.#filterValues = values;
    this.#rows = database
      .prepare<unknown[], EventRow>(
        `${SELECT_EVENTS} WHERE position > ? AND position <= ? AND ${condition} ORDER BY position`,
      )
      .raw();
    this.#next = database
      .prepare<[number], number>(
        'SELECT position FROM events WHERE position > ? ORDER BY position LIMIT 1',
      )
      .pluck();
  }

  /** The events after `after`, at most up to `head`. */
  page(after: number, head: number): Page {
    const end = Math.min(after + PAGE_ROWS, head);
    const rows: EventRow[] = [];
    let characters = 0;
    for (const row of this.#rows.iterate(after, end, ...this.#filterValues)) {
      rows.push(row);
      characters += row[5].length;
      if (characters >= PAGE_CHARACTERS) return { rows, end: row[0] };
    }
    if (rows.length > 0 || end === head) return { rows, end };
    // Over a gap in one step, however wide.
    const next = this.#next.get(end);
    return { rows, end: next === undefined ? head : Math.min(next - 1, head) };
  }
}

function filterSql(filter: EventFilter): { condition: string; values: readonly string[] } {
  const { streamPrefixes, types } = filter;
  const conditions = ['TRUE'];
  if (streamPrefixes !== undefined) {
    const anyPrefix = streamPrefixes.map(() => 'substr(name, 1, length(?)) = ?');
    conditions.push(`(${['FALSE', ...anyPrefix].join(' OR ')})`);
  }
  if (types !== undefined) conditions.push(`type IN (${types.map(() => '?').join(', ')})`);
  return {
    condition: conditions.join(' AND '),
    values: [...(streamPrefixes ?? []).flatMap((prefix) => [prefix, prefix]), ...(types ?? [])],
  };
}
