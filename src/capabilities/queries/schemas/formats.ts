import type { Format } from 'ajv/dist/2020.js';
import type { FormatName } from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Json } from '../../../kernel/json.js';
import { FormatAutomaton } from './format-automaton.js';
import { BYTE, DURATION, PUBLIC_URL, URI } from './format-patterns.js';

declare const bounded: unique symbol;

/**
 * Tells texts that have a format, in time proportional to their length. {@link byAutomaton} and
 * {@link ofAtMost} make them, and nothing else: a regular expression never sees a text of any length.
 */
type LinearTest = ((text: string) => boolean) & { readonly [bounded]: true };

/** A format of numbers, which have no length; `true` is one that everything has. */
type NumberFormat = { readonly type: 'number'; readonly validate: (value: number) => boolean };
type LinearFormat = LinearTest | NumberFormat | true;

/** Whose numbers of seconds have no more digits than {@link briefly} leaves. */
const LONGEST_TIME = '2030-01-31T23:59:59.999999999+00:00'.length;
const LONGEST_DATE = '2030-01-31'.length;
const LONGEST_HOST = 253 + '.'.length;
const LONGEST_IPV4 = '255.255.255.255'.length;
const LONGEST_IPV6 = 'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255'.length;
const LONGEST_UUID = 'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6'.length;
/** To read an expression takes time that grows with the square of its length. */
const LONGEST_REGEX = 2_000;

/**
 * Every format that a schema may name: those of JSON Schema 2020-12 but the international ones, those
 * of OpenAPI and a few more. They mean what they mean to Ajv.
 */
export const FORMATS = {
  date: ofAtMost(LONGEST_DATE, fullFormats.date),
  time: briefly(ofAtMost(LONGEST_TIME, fullFormats.time)),
  'date-time': briefly(ofAtMost(LONGEST_TIME, fullFormats['date-time'])),
  'iso-time': briefly(ofAtMost(LONGEST_TIME, fullFormats['iso-time'])),
  'iso-date-time': briefly(ofAtMost(LONGEST_TIME, fullFormats['iso-date-time'])),
  duration: byAutomaton(DURATION),
  uri: byAutomaton(URI),
  'uri-reference': byAutomaton(fullFormats['uri-reference']),
  'uri-template': byAutomaton(fullFormats['uri-template']),
  url: byAutomaton(PUBLIC_URL),
  email: byAutomaton(fullFormats.email),
  hostname: ofAtMost(LONGEST_HOST, fullFormats.hostname),
  ipv4: ofAtMost(LONGEST_IPV4, fullFormats.ipv4),
  ipv6: ofAtMost(LONGEST_IPV6, fullFormats.ipv6),
  regex: ofAtMost(LONGEST_REGEX, fullFormats.regex),
  uuid: ofAtMost(LONGEST_UUID, fullFormats.uuid),
  'json-pointer': byAutomaton(fullFormats['json-pointer']),
  'json-pointer-uri-fragment': byAutomaton(fullFormats['json-pointer-uri-fragment']),
  'relative-json-pointer': byAutomaton(fullFormats['relative-json-pointer']),
  byte: byAutomaton(BYTE),
  int32: ofNumbers(fullFormats.int32),
  int64: ofNumbers(fullFormats.int64),
  float: ofNumbers(fullFormats.float),
  double: ofNumbers(fullFormats.double),
  password: true,
  binary: true,
} satisfies Record<FormatName, LinearFormat>;

/** What testing a text by a format costs for each character, in steps. */
export function stepsPerCharacter(format: Json): number {
  return format === 'regex' ? 1 : 1 / CHARACTERS_PER_STEP;
}

/** Of a text that goes through an automaton, in the time of one step. */
const CHARACTERS_PER_STEP = 8;

/**
 * What an expression tells, told by an automaton; the test throws when none can follow it.
 * @throws {Error} when the format is no expression, or one with other flags than `i` and `u`
 */
function byAutomaton(format: Format): LinearTest {
  if (!(format instanceof RegExp) || /[^iu]/.test(format.flags)) throw new Error('no pattern');
  const { source, ignoreCase } = format;
  // Made when a text first needs it: most schemas name one or two.
  let automaton: FormatAutomaton | undefined;
  return ((text) => {
    automaton ??= new FormatAutomaton(source, ignoreCase ? 'iu' : 'u');
    return automaton.fits(text);
  }) as LinearTest;
}

/** What is longer does not have the format, and is not shown to it. */
function ofAtMost(length: number, format: Format): LinearTest {
  const test = testOf(format);
  return ((text) => text.length <= length && test(text)) as LinearTest;
}

/** Fractions of a second may have any number of digits; nine of them are looked at. */
function briefly(test: LinearTest): LinearTest {
  return ((text) => test(text.replace(/(\.\d{9})\d+/, '$1'))) as LinearTest;
}

function ofNumbers(format: Format): NumberFormat {
  if (typeof format !== 'object' || !('type' in format) || format.type !== 'number') {
    throw new Error('no format of numbers');
  }
  return format as NumberFormat;
}

function testOf(format: Format): (text: string) => boolean {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return format;
  if (typeof format === 'object') return testOf(format.validate as Format);
  throw new Error('no format of texts');
}
