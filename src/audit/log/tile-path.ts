import { HASH_BYTES } from '../../kernel/merkle.js';
import { TILE_WIDTH } from './tree-hashes.js';

/** Which hash tile is asked for. */
export interface TilePath {
  readonly level: number;
  readonly number: number;
  /** Hashes asked for, 1 to 256: fewer than 256 is a partial tile. */
  readonly width: number;
}

const LEVEL = /^(?:\d|[1-5]\d|6[0-3])$/;
const PARTIAL = /^(\d{3})\.p\/([1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/;

/**
 * Reads `<L>/<N>[.p/<W>]`, c2sp.org/tlog-tiles section "Merkle Tree", in its one spelling:
 * `0/x001/067`, `1/003.p/17`. Undefined for everything else, `entries/…` included.
 */
export function parseTilePath(path: string): TilePath | undefined {
  const slash = path.indexOf('/');
  const level = path.slice(0, Math.max(slash, 0));
  if (!LEVEL.test(level)) return undefined;
  const rest = path.slice(slash + 1);
  const split = rest.lastIndexOf('/', rest.includes('.p/') ? rest.indexOf('.p/') : undefined);
  const [last, width] = lastElement(rest.slice(split + 1)) ?? [];
  if (last === undefined || width === undefined) return undefined;
  const upper = split < 0 ? [] : rest.slice(0, split).split('/');
  if (!upper.every((element) => /^x\d{3}$/.test(element))) return undefined;
  // No leading zeroes beyond what fills an element.
  if (upper[0] === 'x000') return undefined;
  const number = Number([...upper.map((element) => element.slice(1)), last].join(''));
  return Number.isSafeInteger(number) ? { level: Number(level), number, width } : undefined;
}

function lastElement(text: string): readonly [digits: string, width: number] | undefined {
  if (/^\d{3}$/.test(text)) return [text, TILE_WIDTH];
  const [, digits, width] = PARTIAL.exec(text) ?? [];
  return digits === undefined ? undefined : [digits, Number(width)];
}

/** Whether a tree of this size has the tile, whole or up to the width asked for. */
export function isWithin({ level, number, width }: TilePath, size: number): boolean {
  return number * TILE_WIDTH + width <= Math.floor(size / TILE_WIDTH ** level);
}

export function isFull({ width }: TilePath): boolean {
  return width === TILE_WIDTH;
}

/** Bytes of the hashes asked for, from the begin of the tile. */
export function bytesOf({ width }: TilePath): number {
  return width * HASH_BYTES;
}
