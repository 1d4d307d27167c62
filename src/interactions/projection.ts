import type { AgentEvent } from '../agents/domain/events.js';
import { AGENT_STREAM_PREFIX } from '../agents/domain/stream.js';
import type { Recorded } from '../kernel/event.js';
import type { AgentId, InteractionId } from '../kernel/ids.js';
import type { Timestamp } from '../kernel/timestamp.js';
import type { ProjectedEvent, Projection, ProjectionDatabase } from '../projections/port.js';
import type { InteractionEvent, InteractionProposed, RevisionProposed } from './domain/events.js';
import { INTERACTION_STREAM_PREFIX } from './domain/stream.js';
import { addTerms, eraseTerms, TERMS_TABLE, withNewTerms } from './listed-terms.js';
import { sortable } from './sortable-timestamp.js';

const TABLES = `
  DROP TABLE IF EXISTS interaction_list;
  CREATE TABLE interaction_list (
    position TEXT NOT NULL UNIQUE,
    interaction_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    initiator TEXT NOT NULL,
    responder TEXT NOT NULL,
    parties TEXT NOT NULL,
    revision INTEGER NOT NULL,
    terms INTEGER,
    open_revision INTEGER NOT NULL,
    open_terms INTEGER,
    is_open INTEGER NOT NULL,
    is_in_force INTEGER NOT NULL,
    accepted TEXT NOT NULL,
    reported TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    updated_key TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    expires_key TEXT NOT NULL
  );

  ${TERMS_TABLE}

  DROP TABLE IF EXISTS interaction_list_finders;
  CREATE TABLE interaction_list_finders (
    finder TEXT NOT NULL, position TEXT NOT NULL, PRIMARY KEY (finder, position)
  ) WITHOUT ROWID;

  DROP TABLE IF EXISTS interaction_list_agents;
  CREATE TABLE interaction_list_agents (
    agent_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, owner TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX interaction_list_agents_by_owner ON interaction_list_agents (owner);

  DROP TABLE IF EXISTS interaction_list_clients;
  CREATE TABLE interaction_list_clients (
    client TEXT NOT NULL, agent_id TEXT NOT NULL, PRIMARY KEY (client, agent_id)
  ) WITHOUT ROWID;
`;

/** The finders as the table spells them. */
export const agentFinder = (agentId: AgentId): string => `agent:${agentId}`;
export const tenantFinder = (tenant: string): string => `${TENANT_FINDER}${tenant}`;
const TENANT_FINDER = 'tenant:';

/**
 * The interaction list: one row per interaction, and who finds it. What the list asks of the rows
 * is said in `queries/interaction-rows.ts`.
 *
 * - A row stands at the position of its proposal for ever, so that pages never shift.
 * - A finder is a party or a party's tenant; the rows that each finds lie together, in list order.
 * - `accepted` (the open proposal) and `reported` (on the terms in force) are JSON strings, joined
 *   by commas. `open_…` are of the newest proposal until it comes into force.
 * - What people wrote stands in a table of its own: see `listed-terms.ts`. `open_terms` is the newest of an
 *   interaction's rows there; it and `terms` are null where the texts were erased before, or since.
 * - Of the agents it keeps what decides who may see a row: tenant, owner and clients.
 *
 * There are no indexes for the filters: they would cost every event more than they save a reader,
 * who looks at a bounded number of rows at a time.
 */
export const interactionList: Projection<InteractionEvent | AgentEvent> = {
  name: 'interaction-list',
  version: 3,
  streamPrefixes: [INTERACTION_STREAM_PREFIX, AGENT_STREAM_PREFIX],
  takes: {
    'interaction-proposed': 'texts',
    'revision-proposed': 'texts',
    'revision-accepted': 'data',
    'revision-attested': 'data',
    'revision-rejected': 'data',
    'revision-withdrawn': 'data',
    'interaction-cancelled': 'data',
    'outcome-reported': 'data',
    'interaction-completed': 'data',
    'interaction-expired': 'data',
    'erasure-consented': 'ignored',
    'texts-erased': 'data',
    'agent-registered': 'data',
    'agent-clients-changed': 'data',
    'agent-key-added': 'ignored',
    'agent-key-revoked': 'ignored',
    'agent-methods-changed': 'ignored',
    'agent-policy-changed': 'ignored',
    'agent-transport-changed': 'ignored',
    'agent-retired': 'ignored',
  },
  reset: (db) => {
    db.exec(TABLES);
  },
  apply,
};

function apply(db: ProjectionDatabase, event: ProjectedEvent<InteractionEvent | AgentEvent>): void {
  const at = event.recordedAt;
  switch (event.type) {
    case 'interaction-proposed':
      insert(db, event);
      return;
    case 'revision-proposed':
      openProposal(db, event);
      return;
    case 'revision-accepted':
      add(db, ACCEPT, event.data.interactionId, event.data.acceptance.agentId, at);
      return;
    case 'revision-attested':
      update(db, ATTEST, event.data.interactionId, at);
      return;
    case 'revision-rejected':
      update(db, REJECT, event.data.interactionId, at);
      return;
    case 'revision-withdrawn':
      update(db, WITHDRAW, event.data.interactionId, at);
      return;
    case 'interaction-cancelled':
      update(db, CANCEL, event.data.interactionId, at);
      return;
    case 'outcome-reported':
      add(db, REPORT, event.data.interactionId, event.data.agentId, at);
      return;
    case 'interaction-completed':
      update(db, COMPLETE, event.data.interactionId, at);
      return;
    case 'interaction-expired':
      update(db, EXPIRE, event.data.interactionId, event.data.effectiveAt);
      return;
    case 'texts-erased':
      eraseTerms(db, event.data.interactionId);
      return;
    case 'agent-registered':
      db.prepare(
        'INSERT INTO interaction_list_agents (agent_id, tenant, owner) VALUES (?, ?, ?)',
      ).run(event.data.agentId, event.data.tenant, event.data.owner);
      addClients(db, event.data.agentId, event.data.clients);
      return;
    case 'agent-clients-changed':
      db.prepare('DELETE FROM interaction_list_clients WHERE agent_id = ?').run(event.data.agentId);
      addClients(db, event.data.agentId, event.data.clients);
      return;
    case 'erasure-consented':
    case 'agent-key-added':
    case 'agent-key-revoked':
    case 'agent-methods-changed':
    case 'agent-policy-changed':
    case 'agent-transport-changed':
    case 'agent-retired':
      return;
  }
}

/** The first proposal is the newest, and what is shown while no terms are in force. */
const INSERT = withNewTerms(
  (terms) => `
  INSERT INTO interaction_list (
    position, interaction_id, status, initiator, responder, parties,
    revision, terms, open_revision, open_terms,
    is_open, is_in_force, accepted, reported,
    created_at, updated_at, updated_key, expires_at, expires_key
  ) VALUES (?, ?, 'pending', ?, ?, ?, 1, ${terms}, 1, ${terms}, 1, 0, ?, '', ?, ?, ?, ?, ?)`,
);

/** Parties of one tenant share its row; a tenant that is not known finds nothing. */
const FINDERS_OF_PARTY = `
  (?, ?), ((SELECT '${TENANT_FINDER}' || tenant FROM interaction_list_agents WHERE agent_id = ?), ?)`;

const insertFindersOf = (parties: number): string =>
  `INSERT OR IGNORE INTO interaction_list_finders (finder, position)
   VALUES ${Array.from({ length: parties }, () => FINDERS_OF_PARTY).join()}`;

/** By the number of parties: one statement for all of them costs half of one for each. */
const INSERT_FINDERS: string[] = [];

function insert(
  db: ProjectionDatabase,
  event: Recorded<InteractionProposed> & { readonly position: string },
): void {
  const { data, position, recordedAt } = event;
  const { interactionId, initiatorAgentId, responderAgentId, expiresAt } = data;
  const parties = JSON.stringify(data.parties);
  const accepted = JSON.stringify(data.proposedByAgentId);
  const recordedKey = sortable(recordedAt);
  db.prepare(INSERT[addTerms(db, interactionId, event.texts)]).run(
    ...[position, interactionId, initiatorAgentId, responderAgentId, parties, accepted],
    ...[recordedAt, recordedAt, recordedKey, expiresAt, sortable(expiresAt)],
  );
  const count = data.parties.length;
  db.prepare((INSERT_FINDERS[count] ??= insertFindersOf(count))).run(
    ...data.parties.flatMap((party) => [agentFinder(party), position, party, position]),
  );
}

/** Until terms are in force, the newest are shown. */
const OPEN = withNewTerms((terms) =>
  updating(`open_revision = ?, revision = iif(is_in_force, revision, ?), open_terms = ${terms},
    terms = iif(is_in_force, terms, ${terms}), is_open = 1, accepted = ?`),
);

function openProposal(db: ProjectionDatabase, event: Recorded<RevisionProposed>): void {
  const { interactionId, revision, proposedByAgentId } = event.data;
  const accepted = JSON.stringify(proposedByAgentId);
  const at = event.recordedAt;
  const open = OPEN[addTerms(db, interactionId, event.texts)];
  db.prepare(open).run(revision, revision, accepted, at, sortable(at), interactionId);
}

const ACCEPT = updating(`accepted = accepted || ',' || ?`);
const REPORT = updating(`reported = reported || iif(reported = '', '', ',') || ?`);

function add(
  db: ProjectionDatabase,
  statement: string,
  interactionId: InteractionId,
  agentId: AgentId,
  at: Timestamp,
): void {
  db.prepare(statement).run(JSON.stringify(agentId), at, sortable(at), interactionId);
}

/** What each event changes besides the moment of the last change. */
function updating(columns: string): string {
  return `UPDATE interaction_list SET ${columns}, updated_at = ?, updated_key = ?
    WHERE interaction_id = ?`;
}

const ATTEST = updating(`status = 'active', is_open = 0, is_in_force = 1, reported = '',
  revision = open_revision, terms = open_terms`);
const REJECT = updating(`status = iif(is_in_force, status, 'rejected'), is_open = 0`);
const WITHDRAW = updating(`status = iif(is_in_force, status, 'cancelled'), is_open = 0`);
const CANCEL = updating(`status = 'cancelled', is_open = 0`);
const COMPLETE = updating(`status = 'completed', is_open = 0`);
const EXPIRE = updating(`status = 'expired', is_open = 0`);

function update(
  db: ProjectionDatabase,
  statement: string,
  interactionId: InteractionId,
  at: Timestamp,
): void {
  db.prepare(statement).run(at, sortable(at), interactionId);
}

function addClients(db: ProjectionDatabase, agentId: AgentId, clients: readonly string[]): void {
  db.prepare(
    `INSERT OR IGNORE INTO interaction_list_clients (agent_id, client)
     SELECT ?, value FROM json_each(?)`,
  ).run(agentId, JSON.stringify(clients));
}
