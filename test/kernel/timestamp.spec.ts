import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import {
  compareTimestamps,
  earliest,
  isBefore,
  millisecondsOf,
  notBefore,
  parseTimestamp,
  timestampOf,
  type Timestamp,
} from '../../src/kernel/timestamp.js';

/** `[text, accepted]` for every text that the published schema judged as a contract's deadline. */
function judgedDeadlines(): [string, boolean][] {
  const file = new URL('../schemas/fixtures/wire-verdicts.ndjson', import.meta.url);
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
    .filter((line): line is JudgedCase => Array.isArray(line) && line.length === 3)
    .flatMap(([, verdict, [kind, pointer, value]]) =>
      kind === 'set' && pointer === '/deadline' && typeof value === 'string'
        ? [[value, verdict === 1]]
        : [],
    );
}

type JudgedCase = [base: number, verdict: 0 | 1, mutation: [string, string, unknown]];

describe('parseTimestamp', () => {
  it('takes exactly what the published schema takes', () => {
    const judged = judgedDeadlines();
    expect(judged.filter(([, accepted]) => accepted).length).toBeGreaterThan(10);
    expect(judged.filter(([, accepted]) => !accepted).length).toBeGreaterThan(40);
    const differing = judged.filter(
      ([text, accepted]) => (parseTimestamp(text) !== undefined) !== accepted,
    );
    expect(differing).toEqual([]);
  });

  it('takes every day of four centuries that exists, and no other', () => {
    for (let year = 1900; year <= 2300; year += 4) {
      for (const offset of [0, 1]) {
        const isLeap = new Date(Date.UTC(year + offset, 1, 29)).getUTCMonth() === 1;
        expect(parseTimestamp(`${year + offset}-02-29T00:00:00Z`) !== undefined).toBe(isLeap);
      }
    }
  });

  it('is verbatim', () => {
    expect(parseTimestamp('2030-01-01T00:00:00.10Z')).toBe('2030-01-01T00:00:00.10Z');
  });
});

const moment = fc
  .tuple(
    fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }),
    fc.option(fc.string({ unit: fc.constantFrom(...'0159'), minLength: 1, maxLength: 24 }), {
      nil: undefined,
    }),
  )
  .map(([seconds, fraction]) => {
    const text = new Date(seconds * 1000).toISOString().slice(0, 19);
    return `${text}${fraction === undefined ? '' : `.${fraction}`}Z` as Timestamp;
  });

/** Exact, in units of 10^-24 s. */
function exact(timestamp: string): bigint {
  const [seconds = '', fraction = ''] = timestamp.slice(0, -1).split('.');
  return BigInt(Date.parse(`${seconds}Z`)) * 10n ** 21n + BigInt(fraction.padEnd(24, '0'));
}

describe('comparison', () => {
  it('law: it agrees with exact arithmetic', () => {
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const difference = exact(a) - exact(b);
        expect(Math.sign(compareTimestamps(a, b))).toBe(
          difference < 0n ? -1 : difference > 0n ? 1 : 0,
        );
        expect(isBefore(a, b)).toBe(difference < 0n);
        expect(earliest(a, b)).toBe(difference <= 0n ? a : b);
        expect(notBefore(a, b)).toBe(difference >= 0n ? a : b);
      }),
    );
  });

  it('law: near neighbours are told apart to the last digit', () => {
    const base = '2030-01-01T00:00:00';
    fc.assert(
      fc.property(
        fc.nat({ max: 999_999 }),
        fc.nat({ max: 999_999 }),
        fc.nat({ max: 9 }),
        (a, b, zeros) => {
          const spell = (n: number) =>
            `${base}.${String(n).padStart(6, '0')}${'0'.repeat(zeros)}Z` as Timestamp;
          expect(
            Math.sign(
              compareTimestamps(spell(a), `${base}.${String(b).padStart(6, '0')}Z` as Timestamp),
            ),
          ).toBe(Math.sign(a - b));
        },
      ),
    );
  });

  it.each([
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000000Z'],
    ['2030-01-01T00:00:00.1Z', '2030-01-01T00:00:00.100Z'],
  ])('%s and %s are one moment', (a, b) => {
    expect(compareTimestamps(a as Timestamp, b as Timestamp)).toBe(0);
  });

  it('two moments a hair apart are not', () => {
    const a = '2030-01-01T00:00:00.00000000000000000001Z' as Timestamp;
    expect(compareTimestamps(a, '2030-01-01T00:00:00Z' as Timestamp)).toBeGreaterThan(0);
  });
});

describe('a moment that is not before what it rests on', () => {
  const clock = '2030-01-01T00:00:00.000Z' as Timestamp;

  it('is what the clock says where there is nothing, or nothing later', () => {
    expect(notBefore(clock)).toBe(clock);
    expect(notBefore(clock, undefined, undefined)).toBe(clock);
    expect(notBefore(clock, '2029-12-31T23:59:59.9999Z' as Timestamp, undefined)).toBe(clock);
  });

  it("keeps the clock's spelling of a moment that is both", () => {
    expect(notBefore(clock, '2030-01-01T00:00:00Z' as Timestamp)).toBe(clock);
  });

  it('law: nothing is later, and it is the clock or one of them, wherever it stands', () => {
    fc.assert(
      fc.property(
        moment,
        fc.array(fc.option(moment, { nil: undefined }), { maxLength: 5 }),
        (now, moments) => {
          const found = notBefore(now, ...moments);
          const all = [now, ...moments.filter((each) => each !== undefined)];
          expect(all).toContain(found);
          for (const each of all) expect(exact(found)).toBeGreaterThanOrEqual(exact(each));
        },
      ),
    );
  });
});

describe('milliseconds', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['1970-01-01T00:00:00.1Z', 100],
    ['1970-01-01T00:00:00.0019999Z', 1],
    ['1969-12-31T23:59:59.999Z', -1],
    ['0000-01-01T00:00:00Z', -62_167_219_200_000],
  ])('%s is %d', (text, milliseconds) => {
    expect(millisecondsOf(text as Timestamp)).toBe(milliseconds);
  });

  it('law: the server writes milliseconds and Z, and reads them back', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
        (milliseconds) => {
          const text = timestampOf(milliseconds);
          expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
          expect(parseTimestamp(text)).toBe(text);
          expect(millisecondsOf(text)).toBe(milliseconds);
        },
      ),
    );
  });
});
