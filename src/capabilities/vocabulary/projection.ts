import type { AgentId } from '../../kernel/ids.js';
import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import type { Projection, ProjectionDatabase } from '../../projections/port.js';
import type { CapabilityEvent } from '../domain/events.js';
import type { Manifest } from '../domain/manifest.js';
import { CAPABILITY_STREAM_PREFIX } from '../domain/stream.js';

/**
 * Every `action` and `data` value that a manifest of an agent ever had, with the first moment of each:
 * what entries of contracts are understood by. Nothing is ever taken away.
 *
 * - `change` numbers the additions in the order in which this view made them; a reader that knows the
 *   values up to some change loads those after it. `epoch` tells one building of the tables from
 *   another, in which the same numbers may mean other additions.
 */
export const capabilityVocabulary: Projection<CapabilityEvent> = {
  name: 'capability-vocabulary',
  version: 2,
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
        agent_id TEXT NOT NULL,
        value TEXT NOT NULL,
        since TEXT NOT NULL,
        change INTEGER NOT NULL,
        PRIMARY KEY (agent_id, value)
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
        learnAll(db, event.data.manifest, event.recordedAt);
        return;
      case 'capability-state-changed':
      case 'caller-opted-in':
      case 'caller-opted-out':
        return;
    }
  },
};

function learnAll(
  db: ProjectionDatabase,
  { agentId, action, data }: Manifest,
  at: Timestamp,
): void {
  for (const value of action === null ? data : [action, ...data]) learn(db, agentId, value, at);
}

/** Streams are not ordered by time among each other: the earliest moment counts. */
function learn(db: ProjectionDatabase, agentId: AgentId, value: string, at: Timestamp): void {
  const known = db
    .prepare<{ since: Timestamp }>(
      'SELECT since FROM capability_vocabulary WHERE agent_id = ? AND value = ?',
    )
    .get(agentId, value);
  if (known !== undefined && !isBefore(at, known.since)) return;
  const mark = db
    .prepare<{ change: number }>(
      'UPDATE capability_vocabulary_mark SET change = change + 1 RETURNING change',
    )
    .get();
  db.prepare(
    `INSERT OR REPLACE INTO capability_vocabulary (agent_id, value, since, change)
     VALUES (?, ?, ?, ?)`,
  ).run(agentId, value, at, mark?.change ?? 0);
}
