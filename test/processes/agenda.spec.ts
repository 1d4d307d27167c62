import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { START, type Position } from '../../src/event-store/port.js';
import { Agenda, type DueItem, type DueItemOrigin } from '../../src/processes/agenda.js';

const place = (n: number) => String(n).padStart(20, '0') as Position;

/** The event comes right after the place. */
const ofEvent = (after: Position): DueItemOrigin => ({
  kind: 'event',
  after,
  position: place(Number(after) + 1),
});
const ofPage = (page: string): DueItemOrigin => ({ kind: 'page', page });

describe('an agenda', () => {
  it('gives what is due, the earliest first, and nothing twice', () => {
    const agenda = new Agenda<string>();
    agenda.add({ key: 'b', item: 'B', dueAt: 20, origin: ofEvent(place(1)) });
    agenda.add({ key: 'a', item: 'A', dueAt: 10, origin: ofEvent(place(2)) });
    expect(agenda.nextTryAt()).toBe(10);
    expect(agenda.takeDue(9, 10)).toEqual([]);
    expect(agenda.takeDue(20, 10).map(({ item }) => item)).toEqual(['A', 'B']);
    expect(agenda.takeDue(20, 10)).toEqual([]);
    expect(agenda.size).toBe(2);
  });

  it('keeps its low-water mark before the oldest thing undone', () => {
    const agenda = new Agenda<string>();
    expect(agenda.lowWater(place(9))).toBe(place(9));
    agenda.add({ key: 'a', item: 'A', dueAt: 10, origin: ofEvent(place(1)) });
    agenda.add({ key: 'b', item: 'B', dueAt: 5, origin: ofEvent(place(2)) });
    const [b, a] = agenda.takeDue(10, 2);
    expect(agenda.lowWater(place(9))).toBe(place(1));
    agenda.finish(a!);
    expect(agenda.lowWater(place(9))).toBe(place(2));
    agenda.finish(b!);
    expect(agenda.lowWater(place(9))).toBe(place(9));
    agenda.block(place(7));
    agenda.block(place(8));
    expect(agenda.lowWater(place(9))).toBe(place(7));
  });

  it('lets an item find out that it is due later: it keeps its place, and is not overdue', () => {
    const agenda = new Agenda<string>();
    agenda.add({ key: 'a', item: 'A', dueAt: 0, origin: ofEvent(place(1)) });
    agenda.add({ key: 'b', item: 'B', dueAt: 9, origin: ofEvent(place(2)) });
    const [a] = agenda.takeDue(0, 1);
    agenda.postpone(a!, 50);
    expect([agenda.nextTryAt(), agenda.oldestDueAt()]).toEqual([9, 9]);
    expect(agenda.lowWater(place(9))).toBe(place(1));
    expect(agenda.takeDue(50, 2).map(({ item }) => item)).toEqual(['B', 'A']);
    agenda.postpone(a!, 60);
    expect(agenda.nextTryAt()).toBeUndefined();
  });

  it('does not finish or put off what was replaced meanwhile', () => {
    const agenda = new Agenda<string>();
    agenda.add({ key: 'a', item: 'old', dueAt: 0, origin: ofEvent(START) });
    const [old] = agenda.takeDue(0, 1);
    agenda.add({ key: 'a', item: 'new', dueAt: 0, origin: ofEvent(place(1)) });
    agenda.finish(old!);
    agenda.putOff(old!, 50, 1);
    expect(agenda.takeDue(0, 1).map(({ item }) => item)).toEqual(['new']);
  });

  it('tells of what has failed until it is done, due later, put off for another reason or replaced', () => {
    const over: ((agenda: Agenda<string>, due: DueItem<string>) => void)[] = [
      (agenda, due) => agenda.finish(due),
      (agenda, due) => agenda.postpone(due, 50),
      (agenda, due) => agenda.putOff(due, 50, 0),
      (agenda) => agenda.remove('a'),
      (agenda) => agenda.add({ key: 'a', item: 'B', dueAt: 9, origin: ofEvent(place(2)) }),
    ];
    for (const end of over) {
      const agenda = new Agenda<string>();
      agenda.add({ key: 'a', item: 'A', dueAt: 0, origin: ofEvent(place(1)) });
      const [first] = agenda.takeDue(0, 1);
      expect(agenda.isFailing('a')).toBe(false);
      agenda.putOff(first!, 5, 1);
      agenda.replace('a', 'more');
      const [again] = agenda.takeDue(5, 1);
      expect(agenda.isFailing('a')).toBe(true);
      end(agenda, again!);
      expect(agenda.isFailing('a')).toBe(false);
    }
  });

  it('agrees with a plain list, whatever happens', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), key: fc.nat(5), at: fc.nat(20) }),
      fc.record({ kind: fc.constant('remove' as const), key: fc.nat(5) }),
      fc.record({ kind: fc.constant('replace' as const), key: fc.nat(5) }),
      fc.record({
        kind: fc.constant('take' as const),
        now: fc.nat(20),
        late: fc.option(fc.nat(20)),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const agenda = new Agenda<number>();
        let model: { key: string; at: number; item: number; after: Position }[] = [];
        for (const [index, each] of steps.entries()) {
          switch (each.kind) {
            case 'add': {
              const key = String(each.key);
              const due = { key, item: index, after: place(index) };
              agenda.add({ key, item: index, dueAt: each.at, origin: ofEvent(place(index)) });
              model = [...model.filter((other) => other.key !== key), { ...due, at: each.at }];
              break;
            }
            case 'remove':
              agenda.remove(String(each.key));
              model = model.filter((other) => other.key !== String(each.key));
              break;
            case 'replace':
              agenda.replace(String(each.key), -index);
              model = model.map((other) =>
                other.key === String(each.key) ? { ...other, item: -index } : other,
              );
              break;
            case 'take': {
              const taken = agenda.takeDue(each.now, 100);
              const due = model.filter(({ at }) => at <= each.now);
              const times = taken.map(({ tryAt }) => tryAt);
              expect(times).toEqual([...times].sort((a, b) => a - b));
              expect(new Set(taken.map(({ item }) => item))).toEqual(
                new Set(due.map(({ item }) => item)),
              );
              for (const one of taken) {
                if (each.late === null) agenda.finish(one);
                else agenda.putOff(one, each.now + 1 + each.late, 1);
              }
              const { late, now } = each;
              model =
                late === null
                  ? model.filter(({ at }) => at > now)
                  : model.map((other) =>
                      other.at <= now ? { ...other, at: now + 1 + late } : other,
                    );
              break;
            }
          }
          expect(agenda.size).toBe(model.length);
          expect(agenda.nextTryAt()).toBe(
            model.length === 0 ? undefined : Math.min(...model.map(({ at }) => at)),
          );
          expect(agenda.lowWater(place(999))).toBe(model[0]?.after ?? place(999));
        }
      }),
    );
  });

  it('does not grow with what was replaced', () => {
    const agenda = new Agenda<number>();
    for (let i = 0; i < 50_000; i++) {
      agenda.add({ key: String(i % 3), item: i, dueAt: 1_000_000 - i, origin: ofEvent(place(i)) });
    }
    expect(agenda.takeDue(Infinity, 100_000).map(({ item }) => item)).toEqual([
      49_999, 49_998, 49_997,
    ]);
  });

  it('counts what came from pages, which holds no low-water mark back', () => {
    const agenda = new Agenda<string>();
    for (const key of ['a', 'b', 'c']) {
      agenda.add({ key, item: key, dueAt: 0, origin: ofPage(key === 'c' ? 'two' : 'one') });
    }
    expect([agenda.recalled, agenda.recalledFrom('one'), agenda.recalledFrom('two')]).toEqual([
      3, 2, 1,
    ]);
    expect(agenda.lowWater(place(9))).toBe(place(9));
    const [a] = agenda.takeDue(0, 1);
    agenda.putOff(a!, 5, 1);
    agenda.replace('a', 'more');
    // An event takes the place of what a page said.
    agenda.add({ key: 'b', item: 'b', dueAt: 0, origin: ofEvent(place(3)) });
    expect([agenda.recalledFrom('one'), agenda.lowWater(place(9))]).toEqual([1, place(3)]);
    const [, again] = agenda.takeDue(5, 3).filter(({ key }) => key !== 'c');
    agenda.finish(again!);
    agenda.remove('b');
    agenda.remove('b');
    expect([agenda.recalled, agenda.recalledFrom('one'), agenda.size]).toEqual([1, 0, 1]);
    agenda.forgetPage('two');
    expect([agenda.recalled, agenda.size]).toEqual([0, 0]);
  });

  it('gives what is due from a moment on, and forgets what came up to a place, of events alone', () => {
    const agenda = new Agenda<string>((dueAt) => dueAt >= 60);
    agenda.add({ key: 'p', item: 'P', dueAt: 90, origin: ofPage('one') });
    for (const [n, dueAt] of [50, 10, 60, 70].entries()) {
      agenda.add({ key: String(n), item: String(n), dueAt, origin: ofEvent(place(n)) });
    }
    const far = (moment: number) => [...agenda.muchLater(moment)].map(({ key }) => key);
    expect(far(60)).toEqual(['2', '3']);
    expect(far(61)).toEqual(['3']);
    // What turns out to be due later is far as well, and what is done, or due sooner, no longer.
    const [first] = agenda.takeDue(10, 1);
    agenda.postpone(first!, 80);
    expect(far(60)).toEqual(['2', '3', '1']);
    const third = [...agenda.muchLater(70)].find(({ key }) => key === '3');
    agenda.finish(third!);
    expect(far(60)).toEqual(['2', '1']);
    agenda.add({ key: '3', item: '3', dueAt: 70, origin: ofEvent(place(3)) });
    agenda.add({ key: '1', item: '1', dueAt: 10, origin: ofEvent(place(4)) });
    expect(far(60)).toEqual(['2', '3']);
    // The event of '2' comes at place 3.
    agenda.forgetUpTo(place(2));
    expect([agenda.size, agenda.lowWater(place(9))]).toEqual([4, place(2)]);
    agenda.forgetUpTo(place(9));
    expect([agenda.size, agenda.recalled]).toEqual([1, 1]);
  });
});
