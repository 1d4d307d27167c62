import type { Json } from '../../kernel/json.js';
import { err, type Result } from '../../kernel/result.js';
import { MAX_VALUES, parseStrictJson } from '../../kernel/strict-json.js';

/** Of a backend's whole answer. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;

const LIMITS = { maxBytes: MAX_OUTPUT_BYTES, maxDepth: 64, maxValues: MAX_VALUES };

/** JSON that has one meaning alone; refuses with a word for operators. */
export function parseOutput(bytes: Uint8Array): Result<Json, string> {
  const parsed = parseStrictJson(bytes, LIMITS);
  return parsed.ok ? parsed : err(`the answer is no unambiguous JSON (${parsed.error.code})`);
}

/**
 * The same of a value that is parsed already, or was never a text: it is written down and read again,
 * so that what is checked and digested later is JSON, and nobody else's to change.
 */
export function outputOf(value: unknown): Result<Json, string> {
  let text: string | undefined;
  try {
    // Undefined for what JSON has no word for, whatever the types say.
    text = JSON.stringify(value, asItIs);
  } catch {
    text = undefined;
  }
  if (text === undefined) return err('the answer is no JSON');
  return parseOutput(Buffer.from(text));
}

/**
 * What JSON has no word for is no output, where `JSON.stringify` would write something else instead of
 * it, or nothing; only a member that is undefined is none.
 */
function asItIs(this: unknown, _name: string, value: unknown): unknown {
  const isKept =
    typeof value === 'number'
      ? Number.isFinite(value)
      : value === undefined
        ? !Array.isArray(this)
        : typeof value !== 'function' && typeof value !== 'symbol' && !isCollection(value);
  if (!isKept) throw new TypeError('not a JSON value');
  return value;
}

/** Written down they would be empty objects. */
function isCollection(value: unknown): boolean {
  return value instanceof Map || value instanceof Set;
}
