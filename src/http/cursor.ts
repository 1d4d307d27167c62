import { decodeBase64Url, encodeBase64Url } from '../kernel/base64url.js';
import { canonicalJson } from '../kernel/canonical-json.js';
import { hashJson } from '../kernel/digest.js';
import type { Rejection } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';

/** The sort key of the last row of a page: the next page begins after it, whether it still exists. */
export type CursorKey = readonly (string | number)[];

/** What a cursor belongs to: a cursor of another list or of other filters is refused. */
export interface CursorScope {
  /** Name of the list, such as `interactions`. */
  readonly list: string;
  /** The filters in force, in any member order. */
  readonly filters: object;
  /** Of which type each part of the key is, in order. */
  readonly key: readonly ('string' | 'number')[];
}

const VERSION = 1;
const MAX_LENGTH = 2048;

/** An opaque text. It is no secret and grants nothing: what may be seen is judged at every page. */
export function encodeCursor(scope: CursorScope, key: CursorKey): string {
  return encodeBase64Url(Buffer.from(canonicalJson([VERSION, scopeTag(scope), ...key])));
}

/** Refuses with `cursor-invalid`. */
export function decodeCursor(scope: CursorScope, text: string): Result<CursorKey, Rejection> {
  const bytes = text.length <= MAX_LENGTH ? decodeBase64Url(text) : undefined;
  const value = bytes === undefined ? undefined : parse(Buffer.from(bytes).toString());
  if (!Array.isArray(value)) return err({ code: 'cursor-invalid' });
  const [version, tag, ...key] = value as unknown[];
  const fits =
    version === VERSION &&
    tag === scopeTag(scope) &&
    key.length === scope.key.length &&
    scope.key.every((type, index) => typeof key[index] === type);
  return fits ? ok(key as (string | number)[]) : err({ code: 'cursor-invalid' });
}

function scopeTag(scope: CursorScope): string {
  return hashJson([scope.list, scope.filters]).slice(0, 16);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
