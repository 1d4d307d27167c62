import type Database from 'better-sqlite3';
import type { AppendConflict, Basis } from '../port.js';
import type { AppendRequest, EventRow } from '../event-row.js';
import type { CarriedOut } from './group-commit.js';

type StoredId = readonly [id: string, position: number];

/** Where the events of an append stand: row id of the last one. */
interface Stands {
  readonly position: number;
  /** False: the same events were there before. */
  readonly isNew: boolean;
}

/** What came of one append. */
export type AppendOutcome = Stands | AppendConflict;

/** Makes the function that carries out one append inside an open write transaction. */
export function appendInTransaction(
  database: Database.Database,
): (request: AppendRequest) => AppendOutcome {
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
      if (headOf(selectStream.get(stream)) !== basis[stream]) return false;
    }
    return true;
  }

  /** Where these same events were put the first time, when they are there. */
  function findFirstAppend(stream: number, { after, rows }: AppendRequest): Stands | undefined {
    const stored = selectIds.all(stream, after, after + rows.length);
    if (stored.length !== rows.length) return undefined;
    if (!stored.every(([id], index) => id === rows[index]?.id)) return undefined;
    return { position: stored.at(-1)?.[1] ?? 0, isNew: false };
  }

  return (request) => {
    const { after, rows, basis } = request;
    const known = selectStream.get(request.stream);
    const actual = headOf(known);
    if (actual !== after) {
      const first = known === undefined ? undefined : findFirstAppend(known, request);
      if (first !== undefined) return first;
      return { code: 'append-conflict', actual: actual === -1 ? 'no-stream' : actual };
    }
    if (!stands(basis)) return { code: 'basis-moved' };
    const stream = known ?? Number(insertStream.run(request.stream).lastInsertRowid);
    let revision = after;
    let position = 0;
    for (const { type, id, body } of rows) {
      position = Number(insertEvent.run(stream, ++revision, type, id, body).lastInsertRowid);
    }
    return { position, isNew: true };
  };
}

/** The rows that appends have brought, in log order. */
export function rowsBrought(
  done: readonly CarriedOut<AppendRequest, AppendOutcome>[],
): readonly EventRow[] {
  const brought: EventRow[] = [];
  for (const { request, answer } of done) {
    if ('code' in answer || !answer.isNew) continue;
    const { stream, rows } = request;
    let revision = request.after;
    let position = answer.position - rows.length;
    for (const { type, id, body } of rows) {
      brought.push([++position, stream, ++revision, type, id, body]);
    }
  }
  return brought;
}
