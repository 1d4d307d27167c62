import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NOT_ENDED, contractsByPair } from '../../../src/interactions/contracts/projection.js';
import type { InteractionEvent } from '../../../src/interactions/domain/events.js';
import { isTerminal } from '../../../src/interactions/domain/revisions.js';
import { interactionStream } from '../../../src/interactions/domain/stream.js';
import { INTERACTION_EVENT_TYPES } from '../../../src/interactions/event-types.js';
import { sortable } from '../../../src/interactions/sortable-timestamp.js';
import { ERASED, type Recorded } from '../../../src/kernel/event.js';
import type { ProjectedEvent } from '../../../src/projections/port.js';
import { SqliteReadDatabase } from '../../../src/projections/sqlite/sqlite-read-database.js';
import { readStored, replay, type StoredLog } from '../../golden/stored-log.js';
import { foldInteraction } from '../../support/interaction-fixtures.js';
import { play, story } from '../../support/interaction-model.js';
import { RUNS } from '../../support/property-runs.js';

let folder: string;
let database: SqliteReadDatabase;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-test-'));
  database = new SqliteReadDatabase(join(folder, 'read.db'));
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

type Log = readonly Recorded<InteractionEvent>[];

function projected(log: Log): void {
  database.transaction((db) => {
    contractsByPair.reset(db);
    for (const [index, event] of log.entries()) {
      if (contractsByPair.takes[event.type] === 'ignored') continue;
      const { interactionId } = event.data;
      const position = String(index).padStart(20, '0');
      const place = { id: 'id', stream: interactionStream(interactionId), position, metadata: {} };
      const delivered = { ...event, texts: event.texts && ERASED, ...place };
      contractsByPair.apply(db, delivered as ProjectedEvent<InteractionEvent>);
    }
  });
}

const AFTER_THE_END: readonly string[] = ['erasure-consented', 'texts-erased'];

/** The rows agree with the fold, and their times with the moments at which the fold changed. */
function expectRowsToHold(log: Log): void {
  projected(log);
  const state = foldInteraction(log);
  if (state === undefined) throw new Error('a log has events');
  const began = log.find(({ type }) => type === 'revision-attested')?.recordedAt;
  const last = log.findLast(({ type }) => !AFTER_THE_END.includes(type))?.recordedAt;
  const ended = isTerminal(state.status) && last !== undefined ? sortable(last) : NOT_ENDED;
  const { parties, interactionId } = state;
  const pairs = parties.flatMap((one, n) =>
    parties.slice(n + 1).map((other) => [one, other].sort().join(' ')),
  );
  const expected =
    began === undefined
      ? []
      : pairs.sort().map((pair) => ({
          pair,
          ended,
          interaction_id: interactionId,
          began: sortable(began),
        }));
  expect(database.prepare('SELECT * FROM contracts_by_pair ORDER BY pair').all()).toEqual(expected);
  expect(database.prepare('SELECT * FROM contracts_by_pair_parties').all()).toEqual(
    isTerminal(state.status)
      ? []
      : [
          {
            interaction_id: interactionId,
            parties: JSON.stringify(parties),
            is_in_force: began === undefined ? 0 : 1,
          },
        ],
  );
}

describe('contracts by pair', () => {
  const golden = new URL('../../golden/interactions/', import.meta.url);
  it.each(readdirSync(golden))('agrees with the fold of the stored log %s', (name) => {
    const log = readStored<StoredLog>(new URL(name, golden));
    const events = replay<InteractionEvent>(log, INTERACTION_EVENT_TYPES);
    for (let length = 1; length <= events.length; length++) {
      expectRowsToHold(events.slice(0, length));
    }
  });

  it('agrees with the fold of any story', () => {
    fc.assert(
      fc.property(story, (told) => {
        const scene = play(told).at(-1)?.after;
        if (scene !== undefined) expectRowsToHold(scene.log);
      }),
      { ...RUNS, numRuns: RUNS.numRuns / 4 },
    );
  });

  it('reads no texts', () => {
    expect(Object.values(contractsByPair.takes)).not.toContain('texts');
  });
});
