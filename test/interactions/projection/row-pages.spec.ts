import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Position } from '../../../src/event-store/port.js';
import type { Interaction } from '../../../src/interactions/domain/interaction.js';
import { interactionStream } from '../../../src/interactions/domain/stream.js';
import { interactionList } from '../../../src/interactions/projection.js';
import {
  selectionOf,
  type Row,
  type RowScope,
} from '../../../src/interactions/queries/interaction-rows.js';
import type { InteractionFilter } from '../../../src/interactions/queries/list-interactions.js';
import { pageOfRows, type PageEffort } from '../../../src/interactions/queries/row-pages.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import { Application, NO_FILTER, stateOf, type Actor } from '../support/application.js';

let application: Application;
let alpha: Actor;
let beta: Actor;
let gamma: Actor;
const all: Interaction[] = [];

const agentIds = (...names: readonly string[]): readonly AgentId[] =>
  names.map((name) => name as AgentId);
const ROWS = 24;
const EVERYTHING: RowScope = { kind: 'everything' };
const SCOPES: readonly RowScope[] = [
  EVERYTHING,
  { kind: 'tenant', tenant: 'one' },
  { kind: 'tenant', tenant: 'two' },
  { kind: 'agents', tenant: 'one', agents: agentIds('alpha', 'gamma') },
  { kind: 'agents', tenant: 'one', agents: agentIds('gamma') },
];

beforeAll(async () => {
  application = await Application.open({ READ_WAIT_MS: '10000' });
  alpha = await application.register('alpha', 'one');
  beta = await application.register('beta', 'two');
  gamma = await application.register('gamma', 'one');
  application.views.start();
  for (let row = 0; row < ROWS; row++) {
    const first = row % 3 === 0 ? gamma : alpha;
    const second = row % 4 === 0 && first !== gamma ? gamma : beta;
    const taskCategory = row % 5 === 0 ? 'rare' : 'usual';
    const interaction = await application.propose(first, [second], { taskCategory });
    if (row % 2 === 0) stateOf(await application.accept(second, interaction));
    all.push(interaction);
  }
  await application.views.waitFor(await application.store.head(), 10_000);
});

afterAll(async () => {
  await application.dispose();
});

/** All pages, one after the other, and how many there were. */
async function pages(
  filter: Partial<InteractionFilter>,
  scope: RowScope,
  limit: number,
  effort: PageEffort,
  readable: (row: Row) => boolean = () => true,
): Promise<{ readonly ids: readonly string[]; readonly sizes: readonly number[] }> {
  const selection = selectionOf({ ...NO_FILTER, ...filter }, scope, timestampOf(application.now));
  const ids: string[] = [];
  const sizes: number[] = [];
  let after: Position | undefined;
  do {
    const page = await pageOfRows(
      application.views,
      selection,
      { after, limit },
      effort,
      async (rows) => Promise.resolve(rows.filter(readable)),
    );
    ids.push(...page.rows.map((row) => row.interaction_id));
    sizes.push(page.rows.length);
    after = page.next;
  } while (after !== undefined);
  return { ids, sizes };
}

const AT_ONCE: PageEffort = { window: 1_000, windows: 1 };

describe('pages', () => {
  it.each([
    {},
    { status: 'active' },
    { taskCategory: 'rare' },
    { party: 'gamma' },
    { waitingOn: 'beta' },
    { party: 'alpha', waitingOn: 'gamma', status: 'pending' },
  ] as Partial<InteractionFilter>[])(
    'of %j hold the same rows in the same order, however large they and their windows are',
    async (filter) => {
      for (const scope of SCOPES) {
        const { ids: expected } = await pages(filter, scope, 100, AT_ONCE);
        for (const limit of [1, 2, 5, 100]) {
          for (const effort of [
            { window: 1, windows: 1 },
            { window: 3, windows: 1 },
            { window: 3, windows: 2 },
            { window: 5, windows: 100 },
            { window: ROWS, windows: 2 },
          ]) {
            const { ids, sizes } = await pages(filter, scope, limit, effort);
            expect(ids).toEqual(expected);
            expect(Math.max(...sizes)).toBeLessThanOrEqual(limit);
          }
        }
      }
    },
  );

  it('find in every scope what the rows themselves say', async () => {
    const partyTo = (...names: readonly string[]): readonly string[] =>
      all
        .filter(({ parties }) => parties.some((party) => names.includes(party)))
        .map(({ interactionId }) => interactionId)
        .reverse();
    const found = await Promise.all(SCOPES.map((scope) => pages({}, scope, 100, AT_ONCE)));
    expect(found.map(({ ids }) => ids)).toEqual([
      partyTo('alpha', 'beta', 'gamma'),
      partyTo('alpha', 'gamma'),
      partyTo('beta'),
      partyTo('alpha', 'gamma'),
      partyTo('gamma'),
    ]);
  });

  it('go on past rows that turn out not to be readable', async () => {
    const odd = new Set(
      all.filter((_, index) => index % 2 === 1).map((each) => each.interactionId),
    );
    const readable = (row: Row): boolean => odd.has(row.interaction_id);
    for (const effort of [AT_ONCE, { window: 3, windows: 100 }, { window: 2, windows: 1 }]) {
      const { ids } = await pages({}, EVERYTHING, 4, effort, readable);
      expect(ids).toEqual([...odd].reverse());
    }
  });

  it('may be empty and not the last, so that a rare row never costs a long wait', async () => {
    const oldest = all[0]?.parties ?? [];
    expect(oldest).toContain('gamma');
    const { ids, sizes } = await pages({ taskCategory: 'rare' }, EVERYTHING, 50, {
      window: 2,
      windows: 1,
    });
    expect(ids).toHaveLength(5);
    expect(sizes).toContain(0);
  });
});

describe('a row', () => {
  it('is reliable while nothing of its stream is parked', () => {
    for (const { interactionId } of all) {
      const stream = interactionStream(interactionId);
      expect(application.views.isReliable(interactionList.name, stream)).toBe(true);
      expect(application.views.parkedEvents(stream)).toEqual([]);
    }
  });
});
