import type { Brand } from './brand.js';

/**
 * A UTC moment in the spelling of whoever wrote it: RFC 3339 `date-time` that ends in `Z`. It is
 * stored, hashed and shown verbatim; two spellings are compared by value, to the last digit.
 */
export type Timestamp = Brand<string, 'Timestamp'>;

/** Milliseconds since the epoch, from whoever owns the clock. */
export type Clock = () => number;

/** Every field in its range; of the days beyond the 28th, some do not exist. */
const TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/;

/**
 * A well-formed moment that exists in the calendar, or `undefined`. It takes exactly what the wire
 * schema's timestamp takes, so that every moment it lets through may stand in a wire document.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const [, day] = TIMESTAMP.exec(text) ?? [];
  if (day === undefined) return undefined;
  if (Number(day) > 28 && dayOf(text) !== Number(day)) return undefined;
  if (roundsToSixty(text)) return undefined;
  return text as Timestamp;
}

/** Of the month. 30 February is taken for 1 March, so that the day tells whether the date exists. */
function dayOf(text: string): number {
  return new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate();
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
  const seconds = Date.parse(`${timestamp.slice(0, SECONDS_END)}Z`);
  return seconds + Number(fractionOf(timestamp).slice(0, 3).padEnd(3, '0'));
}

/** The first millisecond of a clock that is not before the moment. */
export function millisecondsNotBefore(timestamp: Timestamp): number {
  const milliseconds = millisecondsOf(timestamp);
  return isBefore(timestampOf(milliseconds), timestamp) ? milliseconds + 1 : milliseconds;
}

/** Negative when `a` is earlier, 0 when both are the same moment, positive when `a` is later. Exact. */
export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  // Fields of fixed width, the largest first: the order of the texts is the order of the moments.
  if (a.length === b.length) return compareTexts(a, b);
  const width = Math.max(a.length, b.length) - SECONDS_END;
  return (
    compareTexts(a.slice(0, SECONDS_END), b.slice(0, SECONDS_END)) ||
    compareTexts(fractionOf(a).padEnd(width, '0'), fractionOf(b).padEnd(width, '0'))
  );
}

/** Where the seconds end, and with them the part that every timestamp has. */
const SECONDS_END = '2030-01-02T03:04:05'.length;

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The digits after the second, if any. */
function fractionOf(timestamp: Timestamp): string {
  return timestamp.slice(SECONDS_END + 1, -1);
}

/** Whether `a` is earlier than `b`. Exact; two spellings of one moment are not before each other. */
export function isBefore(a: Timestamp, b: Timestamp): boolean {
  return compareTimestamps(a, b) < 0;
}

/** The earlier of two; `a`, in its spelling, when both are the same moment. */
export function earliest(a: Timestamp, b: Timestamp): Timestamp {
  return isBefore(b, a) ? b : a;
}

/**
 * The clock's moment, or the latest that something rests on where that is later: nothing is dated before
 * what it rests on, be it the stream's last event or what a decision was read from. The node that recorded
 * that may have a clock that is ahead of this one's.
 *
 * @param clock what the clock says now; given back, in its spelling, unless something is later
 * @param moments when what it rests on was recorded; undefined for what is not there
 */
export function notBefore(
  clock: Timestamp,
  ...moments: readonly (Timestamp | undefined)[]
): Timestamp {
  let latest = clock;
  for (const moment of moments) {
    if (moment !== undefined && isBefore(latest, moment)) latest = moment;
  }
  return latest;
}
