import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RestingStates, type Packing } from '../../../../src/audit/verify/replay/resting-states.js';
import { RestingMap } from './support/resting-map.js';

interface Counter {
  count: number;
}

const PACKING: Packing<Counter | null> = {
  pack: (state) => JSON.stringify(state),
  unpack: (text) => JSON.parse(text) as Counter | null,
};

/** Young ones, and those of the turn before. */
const MOST_AWAKE = 512;

const name = fc.integer({ min: 0, max: 2_000 }).map((n) => `stream-${String(n)}`);
const act = fc.oneof(
  { weight: 8, arbitrary: fc.record({ act: fc.constant('count' as const), name }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('lose' as const), name }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('delete' as const), name }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('peek' as const), name }) },
  { weight: 1, arbitrary: fc.constant({ act: 'rest' as const, name: '' }) },
);

describe.each([
  ['with a place to rest', () => new RestingMap()],
  ['without one', () => undefined],
])('states by name, %s', (_, placed) => {
  it('are what a map of them would be, however many there are', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 4_000, size: 'max' }), (acts) => {
        const place = placed();
        const states = new RestingStates(PACKING, place);
        const model = new Map<string, number | null>();
        for (const { act, name } of acts) {
          if (act === 'count') {
            const known = states.get(name);
            if (known) known.count++;
            else states.set(name, { count: 1 });
            model.set(name, (model.get(name) ?? 0) + 1);
          } else if (act === 'lose') {
            states.set(name, null);
            model.set(name, null);
          } else if (act === 'delete') {
            states.delete(name);
            model.delete(name);
          } else if (act === 'peek') {
            const seen = states.peek(name);
            expect(seen === undefined ? undefined : (seen?.count ?? null)).toBe(model.get(name));
          } else states.rest();
          if (place !== undefined) expect(states.awake).toBeLessThanOrEqual(MOST_AWAKE);
        }
        const told = [...states.entries()].map(([key, state]) => [key, state?.count ?? null]);
        expect(told).toEqual([...model].sort(([a], [b]) => (a < b ? -1 : 1)));
      }),
      { numRuns: 20 },
    );
  });

  it('are told in the order of their names from any name on', () => {
    const states = new RestingStates(PACKING, placed());
    const names = Array.from({ length: 700 }, (_, n) => `s-${String(n).padStart(4, '0')}`);
    for (const each of names.toReversed()) states.set(each, { count: 1 });
    const after = [...states.entries('s-0099')].map(([key]) => key);
    expect(after).toEqual(names.slice(100));
  });
});

it('rest once others are touched, and wake as they were', () => {
  const place = new RestingMap();
  const states = new RestingStates(PACKING, place);
  states.set('first', { count: 7 });
  for (let n = 0; n < 2 * MOST_AWAKE; n++) states.set(`other-${String(n)}`, { count: n });
  expect(place.get('first')).toBe('{"count":7}');
  expect(states.get('first')).toEqual({ count: 7 });
});
