import { describe, expect, it } from '@jest/globals';
import type { Format } from 'ajv/dist/2020.js';
import type { FormatName } from 'ajv-formats';
import { formatNames, fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import {
  compileSchema,
  compileValidator,
} from '../../../../src/capabilities/queries/schemas/compile-schema.js';
import { RUNS } from '../../../support/property-runs.js';

/** Of each format of texts some that have it, which others are made from. */
const SAMPLES = {
  date: ['2028-02-29'],
  time: ['23:59:60.5Z', '10:20:30+01:00'],
  'date-time': ['2030-01-31T10:20:30.25-23:59', '1990-12-31T23:59:60Z'],
  'iso-time': ['10:20:30', '10:20:30.123z'],
  'iso-date-time': ['2030-01-31 10:20:30', '2030-01-31T10:20:30.1+0100'],
  duration: ['P1Y2M3DT4H5M6S', 'PT12M', 'P12W'],
  uri: [
    'http://a:b@c.example:80/d/%41?e=/f?#g',
    'ftp://[1:2::5:1.2.3.4]:8/',
    'x://[v1.a:b]',
    'urn:a:b',
  ],
  'uri-reference': ['//a@[::1]:1/b/c?d#e', '../a/b?c', '#a', 'http://a.example/%20'],
  'uri-template': ['http://a/{+b,c:3,d*}/{?e}%41'],
  url: [
    'https://u:p@a-b.example.com:8080/c@d?e#f',
    'http://8.8.4.4/a',
    'ftp://1.2.3.4@2.3.4.5',
    'http://10.0.0.1.net',
  ],
  email: ["a.b'c+d@e-f.example.org", 'x@y.z'],
  hostname: ['a-b.c3.example.', 'x'],
  ipv4: ['255.249.10.9'],
  ipv6: ['1:2:3:4:5:6:7:8', 'abcd::ef:1.2.3.4', '::'],
  regex: ['^(?<a>[a-z]+)\\k<a>{1,2}(?:b|\\1)*$', '(a)\\1'],
  uuid: ['urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'],
  'json-pointer': ['/a~0b/~1/0', ''],
  'json-pointer-uri-fragment': ['#/a~1/%41b'],
  'relative-json-pointer': ['10/a~0/b', '0#'],
  byte: ['YWJjZA==', 'YWJj\nZGU=', ''],
  password: ['a'],
  binary: ['\u0000'],
} as const satisfies Partial<Record<FormatName, readonly string[]>>;

type TextFormat = keyof typeof SAMPLES;
const TEXT_FORMATS = Object.keys(SAMPLES) as TextFormat[];

function testOf(format: Format): (text: string) => boolean {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return format;
  if (typeof format === 'object') return testOf(format.validate as Format);
  return () => true;
}

/** Samples, in either case, in which some characters are others or missing; and texts of the same letters. */
function near(samples: readonly string[]): fc.Arbitrary<string> {
  const cases = samples.flatMap((each) => [each, each.toLowerCase(), each.toUpperCase()]);
  const letters = [...new Set([...cases.join(''), ...':/@.%[]-0125aZ \n\t~"é€'])];
  const some = fc.string({ unit: fc.constantFrom(...letters), maxLength: 3 });
  const edited = fc
    .tuple(
      fc.constantFrom(...cases),
      fc.array(fc.tuple(fc.nat(60), fc.nat(3), some), { maxLength: 3 }),
    )
    .map(([sample, edits]) =>
      edits.reduce(
        (text, [at, left, more]) => text.slice(0, at) + more + text.slice(at + left),
        sample,
      ),
    );
  return fc.oneof(
    { weight: 4, arbitrary: edited },
    { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...letters) }) },
  );
}

/** Ends a search in which a text took too long, before a longer one takes for ever. */
const LIMIT_MS = 1_000;
const LENGTHS = [32_000, 80_000, 200_000];

/**
 * Texts of a length that give whoever goes back on a choice many to go back on: each piece of a
 * sample many times in its place, with something behind it that does not belong there.
 */
function* hostile(samples: readonly string[], length: number): Generator<string> {
  const texts = samples.length === 0 ? [''] : samples;
  for (const sample of texts) {
    for (let at = 0; at < sample.length; at++) {
      for (const size of [1, 3]) {
        const piece = sample.slice(at, at + size);
        yield `${sample.slice(0, at)}${piece.repeat(length / piece.length)}${sample.slice(at)}!\n`;
      }
    }
  }
  const half = length / 2;
  yield `http://[::${':a'.repeat(half)}`;
  yield `http://${'a@'.repeat(half)}`;
  yield `http://${':'.repeat(half)}@${'a-'.repeat(half / 2)}`;
  yield `a@${'a.'.repeat(half)}`;
  yield '('.repeat(length / 4) + '\\1'.repeat(length / 4) + ')'.repeat(length / 4);
  yield '('.repeat(length / 8) + '\\k<a>'.repeat(length / 8) + `(?<a>)${')'.repeat(length / 8)}`;
  yield `10:20:30${'.1'.repeat(half)}`;
  yield `P${'1'.repeat(length)}`;
  yield '\n'.repeat(length);
}

function millisecondsOf(work: () => unknown): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

describe('the formats of schemas', () => {
  it('are all that Ajv knows, those of texts and those of numbers', () => {
    const numbers = ['int32', 'int64', 'float', 'double'];
    expect([...TEXT_FORMATS, ...numbers].sort()).toEqual([...formatNames].sort());
    for (const format of formatNames) expect(() => compileSchema({ format })).not.toThrow();
  });

  it.each(TEXT_FORMATS)('%s: samples have it', (format) => {
    const fits = compileSchema({ format });
    expect(SAMPLES[format].filter((text) => !fits(text))).toEqual([]);
  });

  it.each(TEXT_FORMATS.filter((format) => format !== 'byte' && format !== 'url'))(
    '%s is what it is to Ajv',
    (format) => {
      const fits = compileSchema({ format });
      const isToAjv = testOf(fullFormats[format]);
      fc.assert(
        fc.property(near(SAMPLES[format]), (text) => {
          expect(fits(text)).toBe(isToAjv(text));
        }),
        { ...RUNS, numRuns: RUNS.numRuns * 5 },
      );
    },
  );

  it('uri is what it is to Ajv with IPv6 hosts of every form', () => {
    const upTo9 = Array.from({ length: 10 }, (_, count) => count);
    const groups = (count: number): string[] => Array.from({ length: count }, () => 'a1');
    const texts = upTo9.flatMap((before) =>
      upTo9.flatMap((after) =>
        [groups(after), [...groups(after), '1.2.3.4']].flatMap((rest) => [
          `x://[${groups(before).join(':')}::${rest.join(':')}]`,
          `x://[${[...groups(before), ...rest].join(':')}]`,
        ]),
      ),
    );
    const isToAjv = testOf(fullFormats.uri);
    const test = compileSchema({ format: 'uri' });
    const fits = (text: string): boolean => test(text);
    expect(texts.filter((text) => fits(text) !== isToAjv(text))).toEqual([]);
    expect(texts.some(fits) && !texts.every(fits)).toBe(true);
  });

  it('url is what it is to Ajv, as far as ASCII goes', () => {
    const fits = compileSchema({ format: 'url' });
    const isToAjv = testOf(fullFormats.url);
    const ascii = near(SAMPLES.url).map((text) => text.replace(/[^\0-\x7f]/g, ''));
    fc.assert(
      fc.property(ascii, (text) => {
        expect(fits(text)).toBe(isToAjv(text));
      }),
      { ...RUNS, numRuns: RUNS.numRuns * 5 },
    );
    const texts = Array.from({ length: 260 * 260 }, (_, each) => [
      `http://${Math.floor(each / 260)}.${each % 260}.0.1`,
      `http://1.0${each % 10}.${each % 260}.${Math.floor(each / 260)}`,
    ]).flat();
    expect(texts.filter((text) => fits(text) !== isToAjv(text))).toEqual([]);
    expect(fits('http://münchen.example/straße')).toBe(true);
  });

  it.each([
    ['YWJj', true],
    ['YWJjZA==\r\n', true],
    ['YWJj\nYWJj\nYQ==', true],
    ['YWJ', false],
    ['YQ==\nYWJj', false],
    ['not base64\n', false],
  ])('byte is base64 as a whole: %j', (text, isIt) => {
    expect(compileSchema({ format: 'byte' })(text)).toBe(isIt);
  });

  it.each([
    ['int32', 2 ** 31 - 1, 2 ** 31],
    ['int64', 2 ** 40, 0.5],
  ])('%s is of numbers', (format, good, bad) => {
    const fits = compileSchema({ format });
    expect([fits(good), fits(bad), fits('a text')]).toEqual([true, false, true]);
  });

  it.each(['time', 'date-time', 'iso-time', 'iso-date-time'] as const)(
    '%s may have as many digits of a second as anybody likes',
    (format) => {
      const day = format.endsWith('date-time') ? '2030-01-31T' : '';
      const fits = compileSchema({ format });
      expect(fits(`${day}10:20:30.${'1'.repeat(1_000)}Z`)).toBe(true);
      expect(fits(`${day}10:20:30.${'1'.repeat(1_000)}!`)).toBe(false);
    },
  );

  it('regex is of no more than 2,000 characters, and costs more than others', () => {
    const fits = compileSchema({ format: 'regex' });
    expect([fits('a'.repeat(2_000)), fits('a'.repeat(2_001))]).toEqual([true, false]);
    const many = Array.from({ length: 1_000 }, () => 'a'.repeat(1_500));
    expect(compileValidator({ items: { format: 'regex' } })(many)).toBe('work');
    expect(compileValidator({ items: { format: 'email' } })(many)).not.toBe('work');
  });
});

describe('a growing text that is made to take long', () => {
  it.each(formatNames)('takes no longer than it is long: %s', (format) => {
    const validate = compileValidator({ type: 'string', format });
    const samples: readonly string[] = format in SAMPLES ? SAMPLES[format as TextFormat] : [];
    for (const length of LENGTHS) {
      for (const text of hostile(samples, length)) {
        const took = millisecondsOf(() => {
          // Not for want of steps: the format was asked.
          expect(validate(text)).not.toBe('work');
        });
        if (took > LIMIT_MS) throw new Error(`${text.slice(0, 80)}… (${length}): ${took} ms`);
      }
    }
  });
});
