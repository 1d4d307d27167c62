import type { Json } from '../../kernel/json.js';
import { jsonCopy } from '../../kernel/json-copy.js';
import { err, type Result } from '../../kernel/result.js';
import { MAX_VALUES, parseStrictJson } from '../../kernel/strict-json.js';

/** Of a backend's whole answer. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;

const LIMITS = { maxBytes: MAX_OUTPUT_BYTES, maxDepth: 64, maxValues: MAX_VALUES };

/** JSON that has one meaning alone; refuses with a word for operators. */
export function parseOutput(bytes: Uint8Array): Result<Json, string> {
  const parsed = parseStrictJson(bytes, LIMITS);
  return parsed.ok ? parsed : err(ambiguous(parsed.error.code));
}

/**
 * The same of a value that is parsed already, or was never a text: a copy of it, so that what is checked
 * and digested later is JSON, and nobody else's to change.
 */
export function outputOf(value: unknown): Result<Json, string> {
  const copy = jsonCopy(value, { maxLength: MAX_OUTPUT_BYTES, ...LIMITS });
  if (!copy.ok) return err(ambiguous(copy.error));
  const bytes = Buffer.byteLength(JSON.stringify(copy.value));
  return bytes > MAX_OUTPUT_BYTES ? err(ambiguous('json-too-large')) : copy;
}

function ambiguous(code: string): string {
  return `the answer is no unambiguous JSON (${code})`;
}
