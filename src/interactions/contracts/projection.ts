import type { AgentId, InteractionId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { Projection, ProjectionDatabase } from '../../projections/port.js';
import type { InteractionEvent } from '../domain/events.js';
import { INTERACTION_STREAM_PREFIX } from '../domain/stream.js';
import { sortable } from '../sortable-timestamp.js';
import { pairsAmong } from './pairs.js';

/** Sorts after every moment. */
export const NOT_ENDED = '~';

const TABLES = `
  DROP TABLE IF EXISTS contracts_by_pair;
  CREATE TABLE contracts_by_pair (
    pair TEXT NOT NULL,
    ended TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    began TEXT NOT NULL,
    PRIMARY KEY (pair, ended, interaction_id)
  ) STRICT, WITHOUT ROWID;

  DROP TABLE IF EXISTS contracts_by_pair_parties;
  CREATE TABLE contracts_by_pair_parties (
    interaction_id TEXT PRIMARY KEY, parties TEXT NOT NULL, is_in_force INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Which contracts any two agents have, or had: one row per pair of parties from the moment at which
 * an interaction first comes into force. What has not, or never does, is not among them.
 *
 * - `began` and `ended` are the times of the log at which it came into force and ended, as
 *   {@link sortable} spells them; as long as it has not ended, `ended` is {@link NOT_ENDED}. Those of a
 *   pair that go on lie together, however many have ended.
 * - The second table keeps the parties of interactions that have not ended, and nothing of others.
 */
export const contractsByPair: Projection<InteractionEvent> = {
  name: 'contracts-by-pair',
  version: 1,
  streamPrefixes: [INTERACTION_STREAM_PREFIX],
  takes: {
    'interaction-proposed': 'data',
    'revision-proposed': 'ignored',
    'revision-accepted': 'ignored',
    'revision-attested': 'data',
    'revision-rejected': 'data',
    'revision-withdrawn': 'data',
    'interaction-cancelled': 'data',
    'outcome-reported': 'ignored',
    'interaction-completed': 'data',
    'interaction-expired': 'data',
    'erasure-consented': 'ignored',
    'texts-erased': 'ignored',
  },

  reset(db) {
    db.exec(TABLES);
  },

  apply(db, event) {
    switch (event.type) {
      case 'interaction-proposed':
        db.prepare(
          `INSERT INTO contracts_by_pair_parties (interaction_id, parties, is_in_force)
           VALUES (?, ?, 0)`,
        ).run(event.data.interactionId, JSON.stringify(event.data.parties));
        return;
      case 'revision-attested':
        begin(db, event.data.interactionId, event.recordedAt);
        return;
      case 'revision-rejected':
      case 'revision-withdrawn':
        // Of a pending interaction it is the end; one in force goes on.
        db.prepare(
          'DELETE FROM contracts_by_pair_parties WHERE interaction_id = ? AND is_in_force = 0',
        ).run(event.data.interactionId);
        return;
      case 'interaction-cancelled':
      case 'interaction-completed':
      case 'interaction-expired':
        end(db, event.data.interactionId, event.recordedAt);
        return;
      case 'revision-proposed':
      case 'revision-accepted':
      case 'outcome-reported':
      case 'erasure-consented':
      case 'texts-erased':
        return;
    }
  },
};

interface OpenRow {
  readonly parties: string;
}

function begin(db: ProjectionDatabase, interactionId: InteractionId, at: Timestamp): void {
  const begun = db
    .prepare<OpenRow>(
      `UPDATE contracts_by_pair_parties SET is_in_force = 1
       WHERE interaction_id = ? AND is_in_force = 0 RETURNING parties`,
    )
    .get(interactionId);
  if (begun === undefined) {
    requireInForce(db, interactionId);
    return;
  }
  for (const pair of pairsIn(begun)) {
    db.prepare(
      'INSERT INTO contracts_by_pair (pair, ended, interaction_id, began) VALUES (?, ?, ?, ?)',
    ).run(pair, NOT_ENDED, interactionId, sortable(at));
  }
}

/** An amendment's attestation finds it in force already. */
function requireInForce(db: ProjectionDatabase, interactionId: InteractionId): void {
  const open = db
    .prepare('SELECT 1 FROM contracts_by_pair_parties WHERE interaction_id = ?')
    .get(interactionId);
  if (open === undefined) throw new Error(`${interactionId} is attested, but not open`);
}

function end(db: ProjectionDatabase, interactionId: InteractionId, at: Timestamp): void {
  const open = db
    .prepare<OpenRow & { readonly is_in_force: number }>(
      `DELETE FROM contracts_by_pair_parties WHERE interaction_id = ?
       RETURNING parties, is_in_force`,
    )
    .get(interactionId);
  if (open?.is_in_force !== 1) return;
  for (const pair of pairsIn(open)) {
    db.prepare(
      `UPDATE contracts_by_pair SET ended = ?
       WHERE pair = ? AND ended = ? AND interaction_id = ?`,
    ).run(sortable(at), pair, NOT_ENDED, interactionId);
  }
}

function pairsIn({ parties }: OpenRow): readonly string[] {
  return pairsAmong(JSON.parse(parties) as readonly AgentId[]);
}
