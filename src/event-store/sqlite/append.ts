import type Database from 'better-sqlite3';
import { err, ok, type Result } from '../../kernel/result.js';
import type { Appended, AppendConflict, Basis } from '../port.js';
import { toPosition, type AppendRequest } from '../event-row.js';
import type { LogTail } from './log-tail.js';

type StoredId = readonly [id: string, position: number];

/**
 * Makes the function that carries out one append inside an open write transaction.
 * @param tail told of each row, in log order
 */
export function appendInTransaction(
  database: Database.Database,
  tail: Pick<LogTail, 'noteEvent' | 'headInTransaction'>,
): (request: AppendRequest) => Result<Appended, AppendConflict> {
  const selectStream = database
    .prepare<[string], number>('SELECT number FROM streams WHERE name = ?')
    .pluck();
  const selectRevision = database
    .prepare<[number], number>(
      'SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1',
    )
    .pluck();
  const insertStream = database.prepare<[string]>('INSERT INTO streams (name) VALUES (?)');
  const insertEvent = database.prepare<[number, number, string, string, string]>(
    'INSERT INTO events (stream, revision, type, id, body) VALUES (?, ?, ?, ?, ?)',
  );
  const selectIds = database
    .prepare<[number, number, number], StoredId>(
      `SELECT id, position FROM events WHERE stream = ? AND revision > ? AND revision <= ?
       ORDER BY revision`,
    )
    .raw();

  /** Where a stream stands, by its number: -1 without any. */
  function headOf(known: number | undefined): number {
    return known === undefined ? -1 : (selectRevision.get(known) ?? -1);
  }

  function stands(basis: Basis): boolean {
    for (const stream in basis) {
      const head = tail.headInTransaction(stream) ?? headOf(selectStream.get(stream));
      if (head !== basis[stream]) return false;
    }
    return true;
  }

  /** Where these same events were put the first time, when they are there. */
  function findFirstAppend(stream: number, { after, rows }: AppendRequest): Appended | undefined {
    const last = after + rows.length;
    const stored = selectIds.all(stream, after, last);
    if (stored.length !== rows.length) return undefined;
    if (!stored.every(([id], index) => id === rows[index]?.id)) return undefined;
    return { revision: last, position: toPosition(stored.at(-1)?.[1] ?? 0) };
  }

  return (request) => {
    const { after, rows, basis } = request;
    const known = selectStream.get(request.stream);
    const actual = headOf(known);
    if (actual !== after) {
      const first = known === undefined ? undefined : findFirstAppend(known, request);
      if (first !== undefined) return ok(first);
      return err({ code: 'append-conflict', actual: actual === -1 ? 'no-stream' : actual });
    }
    if (!stands(basis)) return err({ code: 'basis-moved' });
    const stream = known ?? Number(insertStream.run(request.stream).lastInsertRowid);
    let revision = after;
    let position = 0;
    for (const { type, id, body } of rows) {
      position = Number(insertEvent.run(stream, ++revision, type, id, body).lastInsertRowid);
      tail.noteEvent([position, request.stream, revision, type, id, body]);
    }
    return ok({ revision, position: toPosition(position) });
  };
}
