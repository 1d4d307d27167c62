import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent } from '../../../src/agents/domain/events.js';
import type { InteractionEvent } from '../../../src/interactions/domain/events.js';
import { interactionListProjection } from '../../../src/interactions/projection.js';
import { sortable } from '../../../src/interactions/sortable-timestamp.js';
import { ERASED } from '../../../src/kernel/event.js';
import {
  compareTimestamps,
  parseTimestamp,
  type Timestamp,
} from '../../../src/kernel/timestamp.js';
import type { ProjectedEvent } from '../../../src/projections/port.js';
import { SqliteReadDatabase } from '../../../src/projections/sqlite/sqlite-read-database.js';
import {
  accept,
  alpha,
  beta,
  contract,
  propose,
  revise,
  Scene,
} from '../../support/interaction-fixtures.js';

let folder: string;
let database: SqliteReadDatabase;
let position = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
  database = new SqliteReadDatabase(join(folder, 'read.db'));
  database.transaction((db) => {
    interactionListProjection.reset(db);
  });
});

afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true, force: true });
});

type Applied = ProjectedEvent<InteractionEvent | AgentEvent>;

function apply(scene: Scene): void {
  database.transaction((db) => {
    for (const event of scene.log) {
      const place = { id: 'id', stream: 's', position: String(++position).padStart(20, '0') };
      interactionListProjection.apply(db, { ...event, ...place, metadata: {} } as Applied);
    }
  });
}

const row = (): unknown =>
  database.prepare('SELECT status, revision, task_category, deadline FROM interaction_list').get();

describe('the interaction list', () => {
  it('keeps of the texts only category and deadline, and neither once they are erased', () => {
    const terms = contract({ taskCategory: 'secret category' });
    const changed = { ...terms, retentionDays: 3 };
    const scene = Scene.empty.perform(
      propose(alpha, { contract: terms }),
      revise(beta, changed),
      accept(alpha),
    );
    apply(scene);
    expect(row()).toEqual({
      status: 'active',
      revision: 2,
      task_category: 'secret category',
      deadline: terms.deadline,
    });
    database.transaction((db) => {
      interactionListProjection.reset(db);
    });
    apply(scene.erased());
    expect(row()).toEqual({ status: 'active', revision: 2, task_category: null, deadline: null });
    const everything = database.prepare('SELECT * FROM interaction_list').all();
    expect(JSON.stringify(everything)).not.toContain('secret');
  });

  it('takes the texts of proposals alone', () => {
    const withTexts = Object.entries(interactionListProjection.takes)
      .filter(([, takes]) => takes === 'texts')
      .map(([type]) => type);
    expect(withTexts).toEqual(['interaction-proposed', 'revision-proposed']);
    const [first] = Scene.empty.perform(propose(alpha)).erased().log;
    expect(first?.texts).toBe(ERASED);
  });
});

describe('a sortable timestamp', () => {
  it('sorts as its moment does, whatever its spelling', () => {
    const texts = [
      '2029-12-31T23:59:59.999999999Z',
      '2030-01-01T00:00:00Z',
      '2030-01-01T00:00:00.000Z',
      '2030-01-01T00:00:00.0000001Z',
      '2030-01-01T00:00:00.1Z',
      '2030-01-01T00:00:00.100Z',
      '2030-01-01T00:00:00.10000001Z',
      '2030-01-01T00:00:00.2Z',
      '2030-01-01T00:00:10Z',
      '2030-01-01T00:01:00Z',
    ];
    const moments = texts.map((text) => parseTimestamp(text) as Timestamp);
    for (const a of moments) {
      for (const b of moments) {
        const [x, y] = [sortable(a), sortable(b)];
        expect(x < y ? -1 : x > y ? 1 : 0).toBe(Math.sign(compareTimestamps(a, b)));
      }
    }
  });
});
