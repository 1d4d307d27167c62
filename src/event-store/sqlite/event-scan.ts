import type Database from 'better-sqlite3';
import type { EventFilter } from '../port.js';
import { StoredEvent, type EventRow } from '../event-row.js';
import type { Page } from '../subscription.js';
import { SELECT_EVENTS } from './event-store-file.js';
import type { LogTail } from './log-tail.js';

/** Rows looked at per page: a few milliseconds of work, after which others get their turn. */
const PAGE_ROWS = 256;
/** A page ends early after so many characters of bodies, so that large events fill no memory. */
const PAGE_CHARACTERS = 1024 * 1024;

/**
 * Reads the log forwards in pages: from its tail what is there, else from the file. Each page is
 * read at once, so no reader holds up a checkpoint.
 */
export class EventScan {
  #file: FileScan | undefined;

  constructor(
    private readonly database: Database.Database,
    private readonly tail: LogTail,
    private readonly filter: EventFilter = {},
  ) {}

  /** The events after `after`, at most up to `head`. */
  page(after: number, head: number): Page {
    const newest = this.tail.between(after, head, this.filter);
    if (newest !== undefined) {
      const events = newest.slice(0, fitting(newest));
      const isAll = events.length === newest.length;
      return { events, end: isAll ? head : (events.at(-1)?.position ?? head) };
    }
    // Prepared only now: most scans find all they want in the tail.
    const { rows, next: nextAfter, values } = (this.#file ??= fileScan(this.database, this.filter));
    const end = Math.min(after + PAGE_ROWS, head);
    const events: StoredEvent[] = [];
    let characters = 0;
    for (const row of rows.iterate(after, end, ...values)) {
      const event = new StoredEvent(row);
      events.push(event);
      characters += event.characters;
      if (characters >= PAGE_CHARACTERS) return { events, end: event.position };
    }
    if (events.length > 0 || end === head) return { events, end };
    // Over a gap in one step, however wide.
    const next = nextAfter.get(end);
    return { events, end: next === undefined ? head : Math.min(next - 1, head) };
  }
}

/** How many of the first events are a page. */
function fitting(events: readonly StoredEvent[]): number {
  let characters = 0;
  for (const [index, event] of events.entries()) {
    characters += event.characters;
    if (index + 1 === PAGE_ROWS || characters >= PAGE_CHARACTERS) return index + 1;
  }
  return events.length;
}

interface FileScan {
  readonly rows: Database.Statement<unknown[], EventRow>;
  readonly next: Database.Statement<[number], number>;
  /** Of the filter, for `rows`. */
  readonly values: readonly string[];
}

function fileScan(database: Database.Database, filter: EventFilter): FileScan {
  const { condition, values } = filterSql(filter);
  const rows = database
    .prepare<unknown[], EventRow>(
      `${SELECT_EVENTS} WHERE position > ? AND position <= ? AND ${condition} ORDER BY position`,
    )
    .raw();
  const next = database
    .prepare<[number], number>(
      'SELECT position FROM events WHERE position > ? ORDER BY position LIMIT 1',
    )
    .pluck();
  return { rows, next, values };
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
