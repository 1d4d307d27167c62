import { ERASED, type Erased } from '../kernel/event.js';
import type { Contract } from '../kernel/federated-interaction.js';
import type { InteractionId } from '../kernel/ids.js';
import type { ProjectionDatabase } from '../projections/port.js';

/**
 * What the interaction list keeps of the texts of terms: one row per proposal, added at the end and never
 * moved, since rows that SQLite moves leave copies in unused parts of pages, also under `secure_delete`.
 * An erasure overwrites them where they lie, by as many zeros.
 *
 * The list names the newest row of an interaction (`open_terms`), and each row its `previous`. An index
 * instead would cost every proposal more than the rare erasure saves.
 */
export const TERMS_TABLE = `
  DROP TABLE IF EXISTS interaction_list_terms;
  CREATE TABLE interaction_list_terms (
    number INTEGER PRIMARY KEY,
    previous INTEGER,
    task_category TEXT NOT NULL,
    deadline TEXT
  );`;

/**
 * How the statement after {@link addTerms} names the new row, or says that there is none. The very next
 * one: another row in between would be taken for it.
 */
type NewTerms = 'last_insert_rowid()' | 'NULL';

/** Both forms of a statement, made once. */
export function withNewTerms(
  statement: (terms: NewTerms) => string,
): Readonly<Record<NewTerms, string>> {
  const added = 'last_insert_rowid()';
  return { [added]: statement(added), NULL: statement('NULL') };
}

/**
 * No row for texts that are erased. All texts of an interaction have one key, so those that were read
 * before it was destroyed are overwritten then: once the list names none of them they are not found again.
 */
export function addTerms(
  db: ProjectionDatabase,
  interactionId: InteractionId,
  texts: { readonly contract: Contract } | Erased,
): NewTerms {
  if (texts === ERASED) {
    if (hasTerms(db, interactionId)) eraseTerms(db, interactionId);
    return 'NULL';
  }
  const { taskCategory, deadline } = texts.contract;
  db.prepare(
    `INSERT INTO interaction_list_terms (previous, task_category, deadline)
     VALUES ((SELECT open_terms FROM interaction_list WHERE interaction_id = ?), ?, ?)`,
  ).run(interactionId, taskCategory, deadline ?? null);
  return 'last_insert_rowid()';
}

function hasTerms(db: ProjectionDatabase, interactionId: InteractionId): boolean {
  const found = db
    .prepare('SELECT 1 FROM interaction_list WHERE interaction_id = ? AND open_terms IS NOT NULL')
    .get(interactionId);
  return found !== undefined;
}

/** As many zeros as it has bytes: the row keeps its size, and with it its place. */
const zerosFor = (column: string): string =>
  `substr(hex(zeroblob(octet_length(${column}))), 1, octet_length(${column}))`;

const ERASE = `
  WITH RECURSIVE those (number) AS (
    SELECT open_terms FROM interaction_list WHERE interaction_id = ?
    UNION
    SELECT previous FROM interaction_list_terms JOIN those USING (number)
  )
  UPDATE interaction_list_terms
  SET task_category = ${zerosFor('task_category')}, deadline = ${zerosFor('deadline')}
  WHERE number IN (SELECT number FROM those)`;

export function eraseTerms(db: ProjectionDatabase, interactionId: InteractionId): void {
  db.prepare(ERASE).run(interactionId);
  db.prepare(
    'UPDATE interaction_list SET terms = NULL, open_terms = NULL WHERE interaction_id = ?',
  ).run(interactionId);
  db.purge();
}
