import { timestampOf, millisecondsOf, type Timestamp } from '../kernel/timestamp.js';
import type { Projection } from '../projections/port.js';
import type { InvocationEvent } from './domain/events.js';
import { INVOCATION_STREAM_PREFIX } from './domain/stream.js';

/** Days whose calls are counted. */
const COUNTED_DAYS = 30;

/** The first day (UTC) that counts at a moment: that of the moment is the last of them. */
export function firstCountedDay(now: Timestamp): string {
  return dayOf(timestampOf(millisecondsOf(now) - (COUNTED_DAYS - 1) * 24 * 60 * 60 * 1000));
}

function dayOf(moment: Timestamp): string {
  return moment.slice(0, '2030-01-31'.length);
}

/**
 * How often each capability was called: when last, and on each of the last days. A call counts when
 * it is admitted, whatever becomes of it. Days that no longer count go with a day's first call.
 */
export const capabilityUsage: Projection<InvocationEvent> = {
  name: 'capability-usage',
  version: 1,
  streamPrefixes: [INVOCATION_STREAM_PREFIX],
  takes: {
    'approval-requested': 'ignored',
    'approval-given': 'ignored',
    'approval-denied': 'ignored',
    'invocation-admitted': 'data',
    'invocation-ended': 'ignored',
    'invocation-refused': 'ignored',
  },

  reset(db) {
    db.exec(`
      DROP TABLE IF EXISTS capability_usage;
      CREATE TABLE capability_usage (
        agent_id TEXT NOT NULL,
        skill_id TEXT NOT NULL,
        last_call TEXT NOT NULL,
        PRIMARY KEY (agent_id, skill_id)
      ) STRICT, WITHOUT ROWID;

      DROP TABLE IF EXISTS capability_usage_days;
      CREATE TABLE capability_usage_days (
        agent_id TEXT NOT NULL,
        skill_id TEXT NOT NULL,
        day TEXT NOT NULL,
        calls INTEGER NOT NULL,
        PRIMARY KEY (agent_id, skill_id, day)
      ) STRICT, WITHOUT ROWID;
    `);
  },

  apply(db, event) {
    if (event.type !== 'invocation-admitted') return;
    const { recordedAt } = event;
    const { agentId, skillId } = event.data;
    // Clocks of nodes differ: a later event of the log may be an earlier call.
    db.prepare(
      `INSERT INTO capability_usage (agent_id, skill_id, last_call) VALUES (?, ?, ?)
       ON CONFLICT (agent_id, skill_id)
       DO UPDATE SET last_call = max(last_call, excluded.last_call)`,
    ).run(agentId, skillId, recordedAt);
    const counted = db
      .prepare<{ calls: number }>(
        `INSERT INTO capability_usage_days (agent_id, skill_id, day, calls) VALUES (?, ?, ?, 1)
         ON CONFLICT (agent_id, skill_id, day) DO UPDATE SET calls = calls + 1 RETURNING calls`,
      )
      .get(agentId, skillId, dayOf(recordedAt));
    if (counted?.calls !== 1) return;
    db.prepare(
      'DELETE FROM capability_usage_days WHERE agent_id = ? AND skill_id = ? AND day < ?',
    ).run(agentId, skillId, firstCountedDay(recordedAt));
  },
};
