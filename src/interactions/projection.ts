import type { AgentEvent } from '../agents/domain/events.js';
import { ERASED, type Erased, type Recorded } from '../kernel/event.js';
import type { Contract } from '../kernel/federated-interaction.js';
import type { AgentId, InteractionId } from '../kernel/ids.js';
import type { Timestamp } from '../kernel/timestamp.js';
import type {
  ProjectedEvent,
  Projection,
  ProjectionDatabase,
  SqlValue,
} from '../projections/port.js';
import type { InteractionEvent, InteractionProposed, RevisionProposed } from './domain/events.js';
import { sortable } from './sortable-timestamp.js';

/**
 * The interaction list: one row per interaction, and who finds it. What the list asks of the rows
 * is said in `queries/interaction-rows.ts`.
 *
 * - A row stands at the position of its proposal for ever, so that pages never shift.
 * - A finder is a party or a party's tenant; the rows that each finds lie together, in list order.
 * - `accepted` (the open proposal) and `reported` (on the terms in force) are JSON strings, joined
 *   by commas. `open_…` are of the newest proposal until it comes into force.
 * - What people wrote stands in a table of its own, one row per proposal, added at the end and never
 *   moved: rows that SQLite moves leave copies in unused parts of pages, also under `secure_delete`.
 *   An erasure overwrites it where it lies, by as many zeros. `terms` is null for texts that were
 *   erased before, or since.
 * - Of the agents it keeps what decides who may see a row: tenant, owner and clients.
 *
 * There are no indexes for the filters: they would cost every event more than they save a reader,
 * who looks at a bounded number of rows at a time.
 */
export const INTERACTION_LIST = 'interaction-list';

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

  DROP TABLE IF EXISTS interaction_list_terms;
  CREATE TABLE interaction_list_terms (
    number INTEGER PRIMARY KEY,
    interaction_id TEXT NOT NULL,
    task_category TEXT NOT NULL,
    deadline TEXT
  );
  CREATE INDEX interaction_list_terms_of ON interaction_list_terms (interaction_id);

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
export const tenantFinder = (tenant: string): string => `tenant:${tenant}`;

export const interactionListProjection: Projection<InteractionEvent | AgentEvent> = {
  name: INTERACTION_LIST,
  version: 2,
  streamPrefixes: ['interaction-', 'agent-'],
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
const INSERT = `
  INSERT INTO interaction_list (
    position, interaction_id, status, initiator, responder, parties,
    revision, terms, open_revision, open_terms,
    is_open, is_in_force, accepted, reported,
    created_at, updated_at, updated_key, expires_at, expires_key
  ) VALUES (
    @position, @interactionId, 'pending', @initiator, @responder, @parties,
    1, @terms, 1, @terms,
    1, 0, @accepted, '',
    @recordedAt, @recordedAt, @recordedKey, @expiresAt, @expiresKey
  )`;

function insert(
  db: ProjectionDatabase,
  event: Recorded<InteractionProposed> & { readonly position: string },
): void {
  const { data, position, recordedAt } = event;
  db.prepare(INSERT).run({
    position,
    interactionId: data.interactionId,
    initiator: data.initiatorAgentId,
    responder: data.responderAgentId,
    parties: JSON.stringify(data.parties),
    terms: addTerms(db, data.interactionId, event.texts),
    accepted: JSON.stringify(data.proposedByAgentId),
    recordedAt,
    recordedKey: sortable(recordedAt),
    expiresAt: data.expiresAt,
    expiresKey: sortable(data.expiresAt),
  });
  // Parties of one tenant share its row; a tenant that is not known finds nothing.
  const finders = db.prepare(
    `INSERT OR IGNORE INTO interaction_list_finders (finder, position) VALUES (?, ?),
       ((SELECT 'tenant:' || tenant FROM interaction_list_agents WHERE agent_id = ?), ?)`,
  );
  for (const party of data.parties) finders.run(agentFinder(party), position, party, position);
}

function openProposal(db: ProjectionDatabase, event: Recorded<RevisionProposed>): void {
  const { interactionId, revision, proposedByAgentId } = event.data;
  const terms = addTerms(db, interactionId, event.texts);
  db.prepare(
    `UPDATE interaction_list SET
       open_revision = ?, open_terms = ?, is_open = 1, accepted = ?,
       updated_at = ?, updated_key = ?
     WHERE interaction_id = ?`,
  ).run(
    revision,
    terms,
    JSON.stringify(proposedByAgentId),
    event.recordedAt,
    sortable(event.recordedAt),
    interactionId,
  );
  db.prepare(
    `UPDATE interaction_list SET revision = ?, terms = ?
     WHERE interaction_id = ? AND is_in_force = 0`,
  ).run(revision, terms, interactionId);
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

/** @returns the number of their row; null when they are erased */
function addTerms(
  db: ProjectionDatabase,
  interactionId: InteractionId,
  texts: { readonly contract: Contract } | Erased,
): SqlValue {
  if (texts === ERASED) return null;
  const { taskCategory, deadline } = texts.contract;
  const added = db
    .prepare<{ number: number }>(
      `INSERT INTO interaction_list_terms (interaction_id, task_category, deadline)
       VALUES (?, ?, ?) RETURNING number`,
    )
    .get(interactionId, taskCategory, deadline ?? null);
  return added?.number ?? null;
}

/** As many zeros as it has bytes: the row keeps its size, and with it its place. */
const zerosFor = (column: string): string =>
  `substr(hex(zeroblob(octet_length(${column}))), 1, octet_length(${column}))`;

function eraseTerms(db: ProjectionDatabase, interactionId: InteractionId): void {
  db.prepare(
    'UPDATE interaction_list SET terms = NULL, open_terms = NULL WHERE interaction_id = ?',
  ).run(interactionId);
  db.prepare(
    `UPDATE interaction_list_terms
     SET task_category = ${zerosFor('task_category')}, deadline = ${zerosFor('deadline')}
     WHERE interaction_id = ?`,
  ).run(interactionId);
  db.purge();
}
