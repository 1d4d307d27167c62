import type { Fault } from '../../../kernel/rejection.js';
import { TASK_STATES, type ListTasksRequest } from '../../wire/types.js';

const MAX_PAGE = 100;

/** RFC 3339 `date-time` as ProtoJSON takes it: an offset, and up to nine digits of a second. */
const MOMENT =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** What is wrong with a list's parameters; pointers into them. */
export function listFaults(request: ListTasksRequest): readonly Fault[] {
  const { pageSize, historyLength, status, statusTimestampAfter = '' } = request;
  const faults: Fault[] = [];
  if (pageSize !== undefined && !isWithin(pageSize, 1, MAX_PAGE)) {
    faults.push({ pointer: '/pageSize', detail: `must be a whole number from 1 to ${MAX_PAGE}` });
  }
  if (historyLength !== undefined && !isWithin(historyLength, 0, 2 ** 31 - 1)) {
    faults.push({ pointer: '/historyLength', detail: 'must be a whole number, at least 0' });
  }
  if (status !== undefined && !TASK_STATES.includes(status)) {
    faults.push({ pointer: '/status', detail: 'must be a task state' });
  }
  if (statusTimestampAfter !== '' && momentOf(statusTimestampAfter) === undefined) {
    faults.push({ pointer: '/statusTimestampAfter', detail: 'must be an RFC 3339 timestamp' });
  }
  return faults;
}

/**
 * The first whole millisecond that is not before a moment: statuses have whole milliseconds, so that
 * a finer bound is met from there on. Undefined for what is no moment of the calendar.
 */
export function momentOf(text: string): number | undefined {
  const match = MOMENT.exec(text);
  if (match === null) return undefined;
  const [, date = '', time = '', fraction = '', offset = ''] = match;
  const asUtc = Date.parse(`${date}T${time}Z`);
  // Date.parse takes 30 February for 1 March: the date must survive the way back.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 10) !== date) return undefined;
  const seconds = Date.parse(`${date}T${time}${offset}`);
  if (Number.isNaN(seconds)) return undefined;
  const digits = fraction.padEnd(9, '0');
  const milliseconds = Number(digits.slice(0, 3)) + (Number(digits.slice(3)) > 0 ? 1 : 0);
  return seconds + milliseconds;
}

function isWithin(value: number, from: number, to: number): boolean {
  return Number.isInteger(value) && value >= from && value <= to;
}
