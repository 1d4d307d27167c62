import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent } from '../../../src/agents/domain/events.js';
import type { InteractionEvent } from '../../../src/interactions/domain/events.js';
import { interactionList } from '../../../src/interactions/projection.js';
import { sortable } from '../../../src/interactions/sortable-timestamp.js';
import { ERASED } from '../../../src/kernel/event.js';
import {
  compareTimestamps,
  parseTimestamp,
  type Timestamp,
} from '../../../src/kernel/timestamp.js';
import type { ProjectedEvent } from '../../../src/projections/port.js';
import { SqliteReadDatabase } from '../../../src/projections/sqlite/sqlite-read-database.js';
import { tracesIn } from '../../e2e/support/traces.js';
import { eventually } from '../../support/eventually.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  consentToErasure,
  contract,
  erase,
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
    interactionList.reset(db);
  });
});

afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true, force: true });
});

type Applied = ProjectedEvent<InteractionEvent | AgentEvent>;

function apply(log: Scene['log']): void {
  database.transaction((db) => {
    for (const event of log) {
      const place = { id: 'id', stream: 's', position: String(++position).padStart(20, '0') };
      interactionList.apply(db, { ...event, ...place, metadata: {} } as Applied);
    }
  });
}

/** The same event of an interaction of its own. */
function renamed(event: Scene['log'][number], id: number): Scene['log'][number] {
  const interactionId = `interaction-${String(id)}`;
  return { ...event, data: { ...event.data, interactionId } } as Scene['log'][number];
}

const row = (): unknown =>
  database
    .prepare(
      `SELECT status, revision, task_category, deadline
       FROM interaction_list LEFT JOIN interaction_list_terms ON number = terms`,
    )
    .get();

describe('the interaction list', () => {
  it('keeps of the texts only category and deadline, and neither once they are erased', () => {
    const terms = contract({ taskCategory: 'secret category' });
    const changed = { ...terms, retentionDays: 3 };
    const scene = Scene.empty.perform(
      propose(alpha, { contract: terms }),
      revise(beta, changed),
      accept(alpha),
    );
    apply(scene.log);
    expect(row()).toEqual({
      status: 'active',
      revision: 2,
      task_category: 'secret category',
      deadline: terms.deadline,
    });
    database.transaction((db) => {
      interactionList.reset(db);
    });
    apply(scene.erased().log);
    expect(row()).toEqual({ status: 'active', revision: 2, task_category: null, deadline: null });
    const everything = database.prepare('SELECT * FROM interaction_list').all();
    expect(JSON.stringify(everything)).not.toContain('secret');
  });

  it('shows nothing of the terms once it hears of their erasure, at any event of a rebuild', () => {
    const terms = contract({ taskCategory: 'secret category' });
    const changed = { ...terms, retentionDays: 3 };
    const scene = Scene.empty
      .perform(propose(alpha, { contract: terms }), revise(beta, changed), revise(alpha, terms))
      .perform(accept(beta), cancel(beta))
      .perform(consentToErasure(alpha), consentToErasure(beta), erase());
    for (let legible = 0; legible <= scene.log.length; legible++) {
      database.transaction((db) => {
        interactionList.reset(db);
      });
      const erased = scene.erased();
      apply([...scene.log.slice(0, legible), ...erased.log.slice(legible)]);
      expect(row()).toEqual({
        status: 'cancelled',
        revision: 3,
        task_category: null,
        deadline: null,
      });
      const kept = database.prepare('SELECT * FROM interaction_list_terms').all();
      expect(kept).toHaveLength(Math.min(legible, 3));
      expect(JSON.stringify(kept)).not.toMatch(/secret|2030/);
    }
  });

  it('leaves no byte of them in its files, whatever has moved', async () => {
    const many = Array.from({ length: 400 }, (_, n) => {
      // Of all sizes, some larger than a page; rows that grow push each other about.
      const taskCategory = `secret-${String(n)}-`.repeat(
        1 + ((n * 7) % 40) + (n % 50 === 0 ? 600 : 0),
      );
      const terms = contract({ taskCategory });
      const other = { ...terms, retentionDays: 3, taskCategory: `secret-open-${taskCategory}` };
      return Scene.empty
        .perform(propose(alpha, { contract: terms }), accept(beta), revise(beta, other))
        .perform(accept(alpha), cancel(beta), consentToErasure(alpha), consentToErasure(beta))
        .perform(erase());
    });
    const longest = Math.max(...many.map(({ log }) => log.length));
    for (let n = 0; n < longest; n++) {
      apply(many.flatMap(({ log }, id) => log.slice(n, n + 1).map((event) => renamed(event, id))));
      if (n === 0) {
        database.flush();
        expect(await tracesIn(folder, ['secret-'])).not.toEqual([]);
      }
    }
    await eventually(async () => (await tracesIn(folder, ['secret-'])).length === 0);
    database.close();
    expect(await tracesIn(folder, ['secret-'])).toEqual([]);
  });

  it('takes the texts of proposals alone', () => {
    const withTexts = Object.entries(interactionList.takes)
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
