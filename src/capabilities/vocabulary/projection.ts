import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import type { Projection, ProjectionDatabase } from '../../projections/port.js';
import type { CapabilityEvent } from '../domain/events.js';
import type { Manifest } from '../domain/manifest.js';
import { CAPABILITY_STREAM_PREFIX } from '../domain/stream.js';

/** The name under which queries ask for it. */
export const CAPABILITY_VOCABULARY = 'capability-vocabulary';

/**
 * Every `action` and `data` value that a manifest ever had, with the first moment of each: what
 * entries of contracts are understood by. Nothing is ever taken away.
 *
 * - `change` numbers the additions in the order in which this view made them; a reader that knows the
 *   values up to some change loads those after it. `epoch` tells one building of the tables from
 *   another, in which the same numbers may mean other additions.
 */
export const capabilityVocabulary: Projection<CapabilityEvent> = {
  name: CAPABILITY_VOCABULARY,
  version: 1,
  streamPrefixes: [CAPABILITY_STREAM_PREFIX],
  takes: {
    'capability-registered': 'data',
    'capability-revised': 'data',
    'capability-state-changed': 'ignored',
    'caller-opted-in': 'ignored',
    'caller-opted-out': 'ignored',
  },

  reset(db) {
    db.exec(`
      DROP TABLE IF EXISTS capability_vocabulary;
      CREATE TABLE capability_vocabulary (
        value TEXT PRIMARY KEY, since TEXT NOT NULL, change INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX capability_vocabulary_by_change ON capability_vocabulary (change);

      DROP TABLE IF EXISTS capability_vocabulary_mark;
      CREATE TABLE capability_vocabulary_mark (epoch TEXT NOT NULL, change INTEGER NOT NULL) STRICT;
      INSERT INTO capability_vocabulary_mark (epoch, change) VALUES (hex(randomblob(16)), 0);
    `);
  },

  apply(db, event) {
    switch (event.type) {
      case 'capability-registered':
      case 'capability-revised':
        for (const value of identifiersOf(event.data.manifest)) learn(db, value, event.recordedAt);
        return;
      case 'capability-state-changed':
      case 'caller-opted-in':
      case 'caller-opted-out':
        return;
    }
  },
};

function identifiersOf({ action, data }: Manifest): readonly string[] {
  return action === null ? data : [action, ...data];
}

/** Streams are not ordered by time among each other: the earliest moment counts. */
function learn(db: ProjectionDatabase, value: string, at: Timestamp): void {
  const known = db
    .prepare<{ since: Timestamp }>('SELECT since FROM capability_vocabulary WHERE value = ?')
    .get(value);
  if (known !== undefined && !isBefore(at, known.since)) return;
  const mark = db
    .prepare<{ change: number }>(
      'UPDATE capability_vocabulary_mark SET change = change + 1 RETURNING change',
    )
    .get();
  db.prepare(
    'INSERT OR REPLACE INTO capability_vocabulary (value, since, change) VALUES (?, ?, ?)',
  ).run(value, at, mark?.change ?? 0);
}
