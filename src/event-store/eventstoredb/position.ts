import { START as FROM_START, type Position as LogPosition } from '@eventstore/db-client';
import { START, type Position } from '../port.js';

const DIGITS = 20;

/**
 * The commit position, then the prepare position, 20 decimal digits each, which is what 64 bits need:
 * the order of the text is the order of `$all`.
 */
export function toPosition({ commit, prepare }: LogPosition): Position {
  return (digits(commit) + digits(prepare)) as Position;
}

/** @throws {TypeError} for a position that is not of this engine. */
export function toLogPosition(position: Position): LogPosition | typeof FROM_START {
  if (position === START) return FROM_START;
  if (!/^\d{40}$/.test(position)) throw new TypeError(`not a position of this store: ${position}`);
  return { commit: BigInt(position.slice(0, DIGITS)), prepare: BigInt(position.slice(DIGITS)) };
}

/** Whether it may be a position of this engine, which commits nothing before it prepares it. */
export function isLogPosition(position: Position): boolean {
  return /^\d{40}$/.test(position) && position.slice(DIGITS) <= position.slice(0, DIGITS);
}

function digits(number: bigint): string {
  return number.toString().padStart(DIGITS, '0');
}
