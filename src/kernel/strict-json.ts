import { pointerTo, type Json, type JsonPointer } from './json.js';
import { err, ok, type Result } from './result.js';

/** Why a text has no single meaning, and where (pointer to the offending value). */
export interface StrictJsonError {
  readonly code:
    | 'json-too-large'
    | 'json-not-utf8'
    | 'json-syntax'
    | 'json-too-deep'
    | 'json-too-many-values'
    | 'json-duplicate-name'
    | 'json-forbidden-name'
    | 'json-lone-surrogate'
    | 'json-inexact-number';
  readonly pointer: JsonPointer;
}

export interface StrictJsonLimits {
  /** Largest accepted text in UTF-8 bytes. */
  readonly maxBytes: number;
  /** Deepest accepted nesting of arrays and objects. */
  readonly maxDepth: number;
  /**
   * Most values, the document and everything in it: reading small ones takes far longer than their
   * bytes. They are counted before they are read, by what separates them, so that an empty array or
   * object counts as two. Infinity: as many as the bytes hold.
   */
  readonly maxValues: number;
}

/** No document that is worked with has more values: one of small values is read within some 0.1 s. */
export const MAX_VALUES = 50_000;

/** The limits of signed documents. */
export const SIGNED_DOCUMENT_LIMITS: StrictJsonLimits = {
  maxBytes: 256 * 1024,
  maxDepth: 64,
  maxValues: MAX_VALUES,
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses UTF-8 JSON (RFC 8259) and refuses every text that two readers could take for two values
 * (I-JSON, RFC 7493, and beyond): duplicate member names at any depth, also when spelled with
 * escapes; lone surrogates; numbers whose decimal value a double does not keep; `__proto__`.
 * Nothing is normalised: `-0` and `1.10` pass, the canonicaliser writes them as `0` and `1.1`.
 */
export function parseStrictJson(
  bytes: Uint8Array,
  limits: StrictJsonLimits = SIGNED_DOCUMENT_LIMITS,
): Result<Json, StrictJsonError> {
  if (bytes.byteLength > limits.maxBytes) return err({ code: 'json-too-large', pointer: '' });
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return err({ code: 'json-not-utf8', pointer: '' });
  }
  // The shape first: its faults could hurt the parser itself, or keep it busy.
  const misshapen = findMisshapen(text, limits);
  if (misshapen !== undefined) return err({ code: misshapen, pointer: '' });
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return err({ code: 'json-syntax', pointer: '' });
  }
  const ambiguity = isWrittenBack(text, value) ? undefined : findAmbiguity(text);
  return ambiguity === undefined ? ok(value) : err(ambiguity);
}

/**
 * A text that is written back just as it came has one meaning: of two members of one name one would
 * be missing, and an inexact number would read differently. What is written back although it must be
 * refused, a lone surrogate and `__proto__`, such a text does not hold. Most compact texts are of
 * this kind, and are spared the walk.
 */
function isWrittenBack(text: string, value: Json): boolean {
  return !text.includes('\\u') && !text.includes('__proto__') && JSON.stringify(value) === text;
}

function findMisshapen(
  text: string,
  { maxDepth, maxValues }: StrictJsonLimits,
): 'json-too-deep' | 'json-too-many-values' | undefined {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i);
    else if (c === COMMA) {
      if (++values > maxValues) return 'json-too-many-values';
    } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      if (++depth > maxDepth) return 'json-too-deep';
      if (++values > maxValues) return 'json-too-many-values';
    } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) depth--;
  }
  return undefined;
}

/** One open container: `names` for an object, else the index of the array's next element. */
interface Level {
  readonly names: Set<string> | undefined;
  readonly pointer: JsonPointer;
  key: string | number;
  expectsName: boolean;
}

/**
 * Walks the tokens of a text that `JSON.parse` has already accepted, so the walk needs no grammar
 * of its own: it looks only at names, numbers and escapes.
 */
function findAmbiguity(text: string): StrictJsonError | undefined {
  const levels: Level[] = [];
  const pointer = (): JsonPointer => {
    const level = levels.at(-1);
    return level === undefined ? '' : pointerTo(level.pointer, level.key);
  };
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const level = levels.at(-1);
    if (c === QUOTE) {
      const end = endOfString(text, i);
      const content = decodeString(text, i, end);
      if (level?.names !== undefined && level.expectsName) {
        level.key = content;
        level.expectsName = false;
        if (content === '__proto__') return { code: 'json-forbidden-name', pointer: pointer() };
        if (level.names.has(content)) return { code: 'json-duplicate-name', pointer: pointer() };
        level.names.add(content);
      }
      if (!content.isWellFormed()) return { code: 'json-lone-surrogate', pointer: pointer() };
      i = end;
    } else if (c === OPEN_OBJECT) {
      levels.push({ names: new Set(), pointer: pointer(), key: '', expectsName: true });
    } else if (c === OPEN_ARRAY) {
      levels.push({ names: undefined, pointer: pointer(), key: 0, expectsName: false });
    } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) {
      levels.pop();
    } else if (c === COMMA && level !== undefined) {
      if (level.names !== undefined) level.expectsName = true;
      else level.key = Number(level.key) + 1;
    } else if (c === MINUS || (c >= ZERO && c <= NINE)) {
      const end = endOfNumber(text, i);
      if (!survivesRoundTrip(text.slice(i, end))) {
        return { code: 'json-inexact-number', pointer: pointer() };
      }
      i = end - 1;
    }
  }
  return undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Index of the closing quote of the string that opens at `start` (or of the text's end). */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

function decodeString(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/** The text is JSON, so that only these can follow a number. Loops, since a body may hold a million. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && !ENDS_NUMBER.has(text.charCodeAt(end))) end++;
  return end;
}

const ENDS_NUMBER: ReadonlySet<number> = new Set([
  COMMA,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  ...[' ', '\t', '\n', '\r'].map((blank) => blank.charCodeAt(0)),
]);

/** True when the double nearest to the literal is written back as the same decimal value. */
function survivesRoundTrip(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  const written = String(value);
  if (written === literal) return true;
  return decimalValue(literal) === decimalValue(written);
}

/** One spelling per decimal value: significant digits, then the exponent of the last one. */
function decimalValue(literal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal);
  if (match === null) return literal;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  const scale = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign}${significant}e${String(scale)}`;
}

/** A loop, because /0+$/ takes quadratic time on a long run of zeros before the last digit. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
