import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { FAULTY, type Read } from './reading.js';

/**
 * Scalars in ProtoJSON (protobuf.dev/programming-guides/json): what may be spelled in several ways is
 * read into one. Bounds are this service's own, since the protocol has none.
 */

const NO_CONTROL = /^\P{Cc}*$/u;

/** A text without presence of its own (proto3): empty is absent. */
export function text(maxLength: number): Read<string> {
  return (value, reading) => {
    if (typeof value !== 'string') return reading.fault('must be a string');
    if (value.length > maxLength) {
      return reading.fault(`must be at most ${String(maxLength)} characters long`);
    }
    return value === '' ? undefined : value;
  };
}

/** As {@link text}, of an id or a name: no control characters. */
export function name(maxLength: number): Read<string> {
  return matching(NO_CONTROL, 'must not contain control characters', maxLength);
}

export function matching(pattern: RegExp, otherwise: string, maxLength: number): Read<string> {
  const read = text(maxLength);
  return (value, reading) => {
    const found = read(value, reading);
    if (found === undefined || found === FAULTY || pattern.test(found)) return found;
    return reading.fault(otherwise);
  };
}

/** Member of a oneof, where empty is a value: its length is bounded by the request's alone. */
export const content: Read<string> = (value, reading) =>
  typeof value === 'string' ? value : reading.fault('must be a string');

export const flag: Read<boolean> = (value, reading) =>
  typeof value === 'boolean' ? value : reading.fault('must be true or false');

const DECIMAL = /^-?(?:0|[1-9]\d{0,9})$/;

/** `int32`, as a number or in decimal. */
export function integer(min: number, max: number): Read<number> {
  return (value, reading) => {
    const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) {
      return number;
    }
    return reading.fault(`must be an integer from ${String(min)} to ${String(max)}`);
  };
}

/** An `int32` without presence: 0 is absent. */
export function integerOrZero(max: number): Read<number> {
  const read = integer(0, max);
  return (value, reading) => {
    const number = read(value, reading);
    return number === 0 ? undefined : number;
  };
}

/**
 * An enum by its value's name or number. `names` are in the order of their numbers, from 1 on: 0 is
 * the unspecified value, which is absent.
 */
export function oneOf<Name extends string>(
  names: readonly Name[],
  unspecified: string,
): Read<Name> {
  const known: ReadonlySet<Json> = new Set(names);
  return (value, reading) => {
    if (value === 0 || value === unspecified) return undefined;
    if (typeof value === 'number' && names[value - 1] !== undefined) return names[value - 1];
    if (known.has(value)) return value as Name;
    return reading.fault(`must be one of ${names.join(', ')}`);
  };
}

/**
 * `bytes` in base64 or base64url, padded or not, read into the one spelling of RFC 4648 section 4:
 * equal bytes are equal texts.
 */
export const bytes: Read<string> = (value, reading) => {
  if (typeof value !== 'string') return reading.fault('must be a string in base64');
  const canonical = Buffer.from(value, 'base64').toString('base64');
  if (canonical === value) return value;
  // The decoder skips what it does not know: only the way back shows that nothing was skipped.
  const spelled = value.replaceAll('-', '+').replaceAll('_', '/');
  const isPadded = spelled.length % 4 === 0;
  const expected = isPadded ? canonical : canonical.replace(/={1,2}$/, '');
  return spelled === expected ? canonical : reading.fault('is not base64');
};

const MOMENT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/**
 * A `google.protobuf.Timestamp` as a lower bound: the first millisecond that is not before it, in
 * UTC, since statuses have milliseconds.
 */
export const lowerBound: Read<string> = (value, reading) => {
  const match = typeof value === 'string' ? MOMENT.exec(value) : null;
  const [, local = '', fraction = '', offset = ''] = match ?? [];
  const seconds = Date.parse(`${local}${offset}`);
  // Date.parse takes 30 February for 1 March: the date must survive the way back.
  const shown = Date.parse(`${local}Z`);
  const exists = !Number.isNaN(seconds) && !Number.isNaN(shown) && isoOf(shown).startsWith(local);
  if (match === null || !exists) return reading.fault('is not an RFC 3339 timestamp');
  const digits = fraction.padEnd(9, '0');
  const milliseconds = Number(digits.slice(0, 3)) + (Number(digits.slice(3)) > 0 ? 1 : 0);
  return isoOf(seconds + milliseconds);
};

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** `google.protobuf.Value`: anything, null too. */
export const anything: Read<Json> = (value) => value;

/** `google.protobuf.Struct`. */
export const struct: Read<JsonObject> = (value, reading) =>
  isObject(value) ? value : reading.fault('must be an object');

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,127}";
const PARAMETERS = `(?:\\s*;\\s*${TOKEN}=(?:${TOKEN}|"[^"\\\\\\p{Cc}]*"))*`;
const MEDIA_RANGE = new RegExp(`^${TOKEN}/${TOKEN}${PARAMETERS}$`, 'u');
const MEDIA_TYPE = new RegExp(`^(?!\\*)${TOKEN}/(?!\\*)${TOKEN}${PARAMETERS}$`, 'u');

/** RFC 9110 section 8.3.1. */
export const mediaType = matching(MEDIA_TYPE, 'is not a media type', 255);

/** RFC 9110 section 12.5.1, without weights: `image/*` is one too. */
export const mediaRange = matching(MEDIA_RANGE, 'is not a media range', 255);

/** An absolute URI that a parser takes. */
export function uri(maxLength: number): Read<string> {
  const read = text(maxLength);
  return (value, reading) => {
    const found = read(value, reading);
    if (found === undefined || found === FAULTY || URL.canParse(found)) return found;
    return reading.fault('is not a URI');
  };
}
