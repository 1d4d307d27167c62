import type { Projection } from '../projections/port.js';
import type { InvocationEvent } from './domain/events.js';
import { INVOCATION_STREAM_PREFIX } from './domain/stream.js';

/** Of a row: its call neither ran nor ended. */
export const UNSETTLED = 'used_at IS NULL AND ended_at IS NULL';

/**
 * What was asked to be approved, and what came of it. A row stands at the position of its request for
 * ever, so that pages never shift. Texts are not in it: they are read from the stream.
 */
export const approvals: Projection<InvocationEvent> = {
  name: 'approvals',
  version: 2,
  streamPrefixes: [INVOCATION_STREAM_PREFIX],
  takes: {
    'approval-requested': 'data',
    'approval-given': 'data',
    'approval-denied': 'data',
    'invocation-admitted': 'data',
    'invocation-ended': 'data',
    'invocation-refused': 'ignored',
  },

  reset(db) {
    db.exec(`
      DROP TABLE IF EXISTS approvals;
      CREATE TABLE approvals (
        position TEXT PRIMARY KEY,
        invocation_id TEXT NOT NULL UNIQUE,
        agent_id TEXT NOT NULL,
        caller_agent_id TEXT,
        task_id TEXT NOT NULL,
        call TEXT NOT NULL,
        requested_at TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        verdict TEXT,
        decided_by TEXT,
        decided_at TEXT,
        used_at TEXT,
        ended_at TEXT
      ) STRICT;
      CREATE INDEX approvals_by_verdict ON approvals (verdict, position);
      CREATE INDEX approvals_unsettled ON approvals (position, verdict, expires_at)
        WHERE ${UNSETTLED};
      CREATE INDEX approvals_unsettled_between ON approvals (agent_id, caller_agent_id)
        WHERE ${UNSETTLED};
    `);
  },

  apply(db, event) {
    const { recordedAt } = event;
    switch (event.type) {
      case 'approval-requested': {
        const { invocationId, agentId, caller, taskId, expiresAt } = event.data;
        db.prepare(
          `INSERT INTO approvals
             (position, invocation_id, agent_id, caller_agent_id, task_id, call, requested_at,
              expires_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        ).run(
          event.position,
          invocationId,
          agentId,
          caller.agent,
          taskId,
          JSON.stringify(event.data),
          recordedAt,
          expiresAt,
        );
        return;
      }
      case 'approval-given':
      case 'approval-denied': {
        const { invocationId, by } = event.data;
        const verdict = event.type === 'approval-given' ? 'approved' : 'denied';
        db.prepare(
          `UPDATE approvals SET verdict = ?, decided_by = ?, decided_at = ?
           WHERE invocation_id = ?`,
        ).run(verdict, JSON.stringify(by), recordedAt, invocationId);
        return;
      }
      case 'invocation-admitted':
        db.prepare('UPDATE approvals SET used_at = ? WHERE invocation_id = ?').run(
          recordedAt,
          event.data.invocationId,
        );
        return;
      case 'invocation-ended':
        db.prepare('UPDATE approvals SET ended_at = ? WHERE invocation_id = ?').run(
          recordedAt,
          event.data.invocationId,
        );
        return;
      case 'invocation-refused':
    }
  },
};

/** `approvalStateAt` of a row, at the moment `@now`. */
export const STATE_OF_ROW = `
  CASE
    WHEN verdict = 'denied' THEN 'denied'
    WHEN used_at IS NOT NULL THEN 'approved'
    WHEN ended_at < expires_at THEN 'void'
    WHEN expires_at <= @now THEN 'expired'
    ELSE coalesce(verdict, 'pending')
  END`;
