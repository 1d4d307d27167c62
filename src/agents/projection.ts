import type { Projection } from '../projections/port.js';
import type { AgentEvent } from './domain/events.js';
import { evolveAgent } from './domain/evolve.js';
import { AGENT_STREAM_PREFIX } from './domain/stream.js';
import { readStoredAgent, storeAgent } from './stored-agent.js';

/** All agents as they are, by id: the fold of the domain, kept in rows that can be filtered. */
export const agentDirectory: Projection<AgentEvent> = {
  name: 'agent-directory',
  version: 2,
  streamPrefixes: [AGENT_STREAM_PREFIX],
  takes: {
    'agent-registered': 'data',
    'agent-key-added': 'data',
    'agent-key-revoked': 'data',
    'agent-methods-changed': 'data',
    'agent-policy-changed': 'texts',
    'agent-clients-changed': 'data',
    'agent-transport-changed': 'data',
    'agent-retired': 'data',
  },

  reset(db) {
    db.exec(`
      DROP TABLE IF EXISTS agent_directory;
      CREATE TABLE agent_directory (
        agent_id TEXT PRIMARY KEY,
        tenant TEXT NOT NULL,
        owner TEXT NOT NULL,
        hosted INTEGER NOT NULL,
        retired INTEGER NOT NULL,
        agent TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX agent_directory_by_owner ON agent_directory (tenant, owner, agent_id);
    `);
  },

  apply(db, event) {
    const row = db
      .prepare<{ agent: string }>('SELECT agent FROM agent_directory WHERE agent_id = ?')
      .get(event.data.agentId);
    const agent = evolveAgent(row === undefined ? null : readStoredAgent(row.agent), event);
    if (agent === null) throw new Error(`${event.stream} folds to nothing`);
    db.prepare(
      `INSERT OR REPLACE INTO agent_directory (agent_id, tenant, owner, hosted, retired, agent)
       VALUES (@agentId, @tenant, @owner, @hosted, @retired, @agent)`,
    ).run({
      agentId: agent.agentId,
      tenant: agent.tenant,
      owner: agent.owner,
      hosted: agent.transport.managedBy === 'openclasp' ? 1 : 0,
      retired: agent.retiredAt === null ? 0 : 1,
      agent: storeAgent(agent),
    });
  },
};
