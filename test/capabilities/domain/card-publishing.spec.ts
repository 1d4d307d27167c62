import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CardEvent } from '../../../src/capabilities/domain/card-events.js';
import {
  cardPublishing,
  publishedVersion,
  type PublishedCards,
} from '../../../src/capabilities/domain/card-publishing.js';
import { fold, type Recorded } from '../../../src/kernel/event.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';
import { RUNS } from '../../support/property-runs.js';
import { FINANCE } from '../support/capabilities.js';

/** A list of skills as a generator made it: `1:a` is list a by generator 1. */
type Made = `${number}:${string}`;

function parts(made: Made): { generator: number; digest: string } {
  const [generator = '', digest = ''] = made.split(':');
  return { generator: Number(generator), digest };
}

function publish(cards: PublishedCards, made: Made): readonly CardEvent[] {
  const { generator, digest } = parts(made);
  const decision = cardPublishing.decide(cards, { agentId: FINANCE, generator }, { digest });
  if (!decision.ok) throw new Error(decision.error.code);
  return decision.value;
}

function record(cards: PublishedCards, events: readonly CardEvent[]): PublishedCards {
  const recorded = events.map((event): Recorded<CardEvent> => ({
    ...event,
    recordedAt: '2030-01-01T00:00:00.000Z' as Timestamp,
    revision: 0,
  }));
  return fold<PublishedCards, CardEvent>(
    (state, event) => cardPublishing.evolve(state, event),
    cards,
    recorded,
  );
}

function given(...history: readonly Made[]): {
  when(made: Made): { then(version: number | 'nothing'): void };
} {
  const cards = history.reduce(
    (state, made) => record(state, publish(state, made)),
    cardPublishing.initial,
  );
  return {
    when: (made) => ({
      then(version) {
        const events = publish(cards, made);
        expect(events.map(({ data }) => data.version)).toEqual(
          version === 'nothing' ? [] : [version],
        );
        const { generator, digest } = parts(made);
        const after = record(cards, events);
        expect(publishedVersion(after, generator, digest)).toBeGreaterThan(0);
      },
    }),
  };
}

describe('publishing skills', () => {
  it('begins with 1, also when there are none yet', () => {
    given().when('1:a').then(1);
  });

  it('counts on when they are others', () => {
    given('1:a').when('1:b').then(2);
    given('1:a', '1:b').when('1:c').then(3);
  });

  it('does nothing when they are published', () => {
    given('1:a').when('1:a').then('nothing');
    given('1:a', '1:b').when('1:b').then('nothing');
  });

  it('gives skills that come back another number', () => {
    given('1:a', '1:b').when('1:a').then(3);
  });

  it('does nothing when a newer build makes the same skills', () => {
    given('1:a').when('2:a').then('nothing');
    given('2:a').when('1:a').then('nothing');
  });

  it('does not let two builds publish against each other for ever', () => {
    given('1:a').when('2:A').then(2);
    given('1:a', '2:A').when('1:a').then('nothing');
    given('1:a', '2:A').when('2:A').then('nothing');
    // The registry changed: each publishes once.
    given('1:a', '2:A').when('1:b').then(3);
    given('1:a', '2:A', '1:b').when('2:B').then(4);
    given('1:a', '2:A', '1:b', '2:B').when('1:b').then('nothing');
    // What the newer one made last is not the newest any more.
    given('1:a', '2:A', '1:b').when('2:A').then(4);
  });

  it('lets whoever comes later know the number of what it made', () => {
    const cards = ['1:a', '2:A'].reduce(
      (state, made) => record(state, publish(state, made as Made)),
      cardPublishing.initial,
    );
    expect(publishedVersion(cards, 1, 'a')).toBe(1);
    expect(publishedVersion(cards, 2, 'A')).toBe(2);
    expect(publishedVersion(cards, 2, 'a')).toBeUndefined();
    expect(publishedVersion(cards, 3, 'a')).toBeUndefined();
  });

  it('numbers without gaps, and never one list by two numbers in a row', () => {
    const made = fc.tuple(fc.constantFrom(1, 2), fc.constantFrom('a', 'b', 'c'));
    fc.assert(
      fc.property(fc.array(made, { maxLength: 20 }), (history) => {
        let cards = cardPublishing.initial;
        const events: CardEvent[] = [];
        for (const [generator, digest] of history) {
          const published = publish(cards, `${generator}:${digest}`);
          cards = record(cards, published);
          events.push(...published);
          expect(publish(cards, `${generator}:${digest}`)).toEqual([]);
        }
        expect(events.map(({ data }) => data.version)).toEqual(events.map((_, i) => i + 1));
        for (const [index, { data }] of events.entries()) {
          expect(data.digest).not.toBe(events[index + 1]?.data.digest);
        }
      }),
      RUNS,
    );
  });
});
