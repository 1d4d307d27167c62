import type { Projection } from '../projections/port.js';
import { subjectOf, type CapabilityEvent } from './domain/events.js';
import { evolveCapability } from './domain/evolve.js';
import { CAPABILITY_STREAM_PREFIX } from './domain/stream.js';
import { readStoredCapability, storeCapability } from './stored-capability.js';

/**
 * All capabilities as they are: the fold of the domain, kept in rows that can be filtered.
 *
 * - `registered` is the position of the registration: the order of the registry, for ever.
 * - `change` numbers the changes of an agent in the order in which this view applied them; a reader
 *   that knows the agent's capabilities up to some change loads those after it. `epoch` tells one
 *   building of the tables from another, in which the same numbers may mean other changes.
 */
export const capabilityDirectory: Projection<CapabilityEvent> = {
  name: 'capability-directory',
  version: 1,
  streamPrefixes: [CAPABILITY_STREAM_PREFIX],
  takes: {
    'capability-registered': 'data',
    'capability-revised': 'data',
    'capability-state-changed': 'data',
    'caller-opted-in': 'data',
    'caller-opted-out': 'data',
  },

  reset(db) {
    db.exec(`
      DROP TABLE IF EXISTS capability_directory;
      CREATE TABLE capability_directory (
        agent_id TEXT NOT NULL,
        skill_id TEXT NOT NULL,
        registered TEXT NOT NULL,
        change INTEGER NOT NULL,
        state TEXT NOT NULL,
        visibility TEXT NOT NULL,
        owner TEXT NOT NULL,
        capability TEXT NOT NULL,
        PRIMARY KEY (agent_id, skill_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX capability_directory_by_change ON capability_directory (agent_id, change);

      DROP TABLE IF EXISTS capability_directory_agents;
      CREATE TABLE capability_directory_agents (
        agent_id TEXT PRIMARY KEY, epoch TEXT NOT NULL, change INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `);
  },

  apply(db, event) {
    const { agentId, skillId } = subjectOf(event);
    const row = db
      .prepare<{ registered: string; capability: string }>(
        `SELECT registered, capability FROM capability_directory
         WHERE agent_id = ? AND skill_id = ?`,
      )
      .get(agentId, skillId);
    const before = row === undefined ? null : readStoredCapability(row.capability);
    const capability = evolveCapability(before, event);
    if (capability === null) throw new Error(`${event.stream} folds to nothing`);
    const agent = db
      .prepare<{ change: number }>(
        `INSERT INTO capability_directory_agents (agent_id, epoch, change)
         VALUES (?, hex(randomblob(16)), 1)
         ON CONFLICT (agent_id) DO UPDATE SET change = change + 1 RETURNING change`,
      )
      .get(agentId);
    const { state, visibility, owner } = capability.manifest;
    db.prepare(
      `INSERT OR REPLACE INTO capability_directory
         (agent_id, skill_id, registered, change, state, visibility, owner, capability)
       VALUES (@agentId, @skillId, @registered, @change, @state, @visibility, @owner, @capability)`,
    ).run({
      agentId,
      skillId,
      registered: row?.registered ?? event.position,
      change: agent?.change ?? 0,
      state,
      visibility,
      owner,
      capability: storeCapability(capability),
    });
  },
};
