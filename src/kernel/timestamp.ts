import type { Brand } from './brand.js';

/**
 * A UTC moment in the spelling of whoever wrote it: RFC 3339 `date-time` that ends in `Z`. It is
 * stored, hashed and shown verbatim; two spellings are compared by value, to the last digit.
 */
export type Timestamp = Brand<string, 'Timestamp'>;

/** Milliseconds since the epoch, from whoever owns the clock. */
export type Clock = () => number;

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?Z$/;

/**
 * A well-formed moment that exists in the calendar, or `undefined`. It takes exactly what the wire
 * schema's timestamp takes, so that every moment it lets through may stand in a wire document.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = TIMESTAMP.exec(text);
  if (match?.[1] === undefined) return undefined;
  const milliseconds = Date.parse(`${match[1]}Z`);
  if (Number.isNaN(milliseconds)) return undefined;
  // Date.parse takes 30 February for 1 March: the date must survive the way back.
  if (new Date(milliseconds).toISOString().slice(0, 19) !== match[1]) return undefined;
  if (roundsToSixty(text)) return undefined;
  return text as Timestamp;
}

/**
 * The schema's `date-time` reads the seconds as a double: so many nines count as a leap second,
 * which it allows at the end of a day alone.
 */
function roundsToSixty(text: string): boolean {
  return Number(text.slice(17, -1)) >= 60 && text.slice(11, 16) !== '23:59';
}

/** The server's spelling: milliseconds and `Z`. */
export function timestampOf(milliseconds: number): Timestamp {
  return new Date(milliseconds).toISOString() as Timestamp;
}

/** Milliseconds since the epoch; digits beyond the millisecond are dropped. */
export function millisecondsOf(timestamp: Timestamp): number {
  const [seconds, fraction] = split(timestamp);
  return seconds + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

/** Negative when `a` is earlier, 0 when both are the same moment, positive when `a` is later. Exact. */
export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  const [secondsA, fractionA] = split(a);
  const [secondsB, fractionB] = split(b);
  if (secondsA !== secondsB) return secondsA - secondsB;
  const width = Math.max(fractionA.length, fractionB.length);
  const digitsA = fractionA.padEnd(width, '0');
  const digitsB = fractionB.padEnd(width, '0');
  return digitsA < digitsB ? -1 : digitsA > digitsB ? 1 : 0;
}

export function isBefore(a: Timestamp, b: Timestamp): boolean {
  return compareTimestamps(a, b) < 0;
}

export function earliest(a: Timestamp, b: Timestamp): Timestamp {
  return compareTimestamps(a, b) <= 0 ? a : b;
}

export function latest(a: Timestamp, b: Timestamp): Timestamp {
  return compareTimestamps(a, b) >= 0 ? a : b;
}

function split(timestamp: Timestamp): [seconds: number, fraction: string] {
  const dot = timestamp.indexOf('.');
  if (dot === -1) return [Date.parse(timestamp), ''];
  return [Date.parse(`${timestamp.slice(0, dot)}Z`), timestamp.slice(dot + 1, -1)];
}
