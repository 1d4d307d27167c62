import type { Projection } from '../projections/port.js';
import type { InvocationEvent } from './domain/events.js';
import { INVOCATION_STREAM_PREFIX } from './domain/stream.js';

/** Calls that were admitted and have no outcome yet, by deadline. */
export const openInvocations: Projection<InvocationEvent> = {
  name: 'open-invocations',
  version: 2,
  streamPrefixes: [INVOCATION_STREAM_PREFIX],
  takes: {
    'approval-requested': 'ignored',
    'approval-given': 'ignored',
    'approval-denied': 'ignored',
    'invocation-admitted': 'data',
    'invocation-ended': 'data',
    'invocation-refused': 'ignored',
  },

  reset(db) {
    db.exec(`
      DROP TABLE IF EXISTS open_invocations;
      CREATE TABLE open_invocations (
        invocation_id TEXT PRIMARY KEY, task_id TEXT NOT NULL, deadline TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX open_invocations_by_deadline ON open_invocations (deadline, invocation_id);
    `);
  },

  apply(db, event) {
    if (event.type === 'invocation-admitted') {
      const { invocationId, taskId, deadline } = event.data;
      db.prepare(
        'INSERT INTO open_invocations (invocation_id, task_id, deadline) VALUES (?, ?, ?)',
      ).run(invocationId, taskId, deadline);
    }
    if (event.type === 'invocation-ended') {
      db.prepare('DELETE FROM open_invocations WHERE invocation_id = ?').run(
        event.data.invocationId,
      );
    }
  },
};
