import { parseSignedCheckpoint } from '../kernel/checkpoint.js';
import { parseNoteKey } from '../kernel/note-key.js';

/** So many bytes of a file tell what it is meant as. */
export const BEGINNING_BYTES = 64 * 1024;

type Recognizer = (beginning: string) => boolean;

const beginsLike =
  (pattern: RegExp): Recognizer =>
  (beginning) =>
    pattern.test(beginning);

/** The first that fits says what it is, and what takes it. */
const KINDS: readonly (readonly [Recognizer, string])[] = [
  [
    beginsLike(/^\s*\{[^\n]*"source":\s*"[^"]*\/v1\/events"/),
    'an export of a log, which `countersign audit FILE` takes',
  ],
  [
    beginsLike(/^\s*\[\s*\{[^\n]*"specversion":/),
    'a page of events; `countersign audit` takes an export, which is got with Accept: application/x-ndjson',
  ],
  [
    beginsLike(/^\s*\{\s*"bundle"\s*:/),
    'an evidence bundle, which `countersign verify FILE --trust KEY` takes',
  ],
  [
    beginsLike(/^\s*\{[^]*"contractRevisions"\s*:/),
    'an interaction document, which `countersign verify FILE --keys KEYS` takes',
  ],
  [
    (beginning) => parseSignedCheckpoint(beginning) !== undefined,
    'a checkpoint, which is named by --trust or --checkpoint',
  ],
  [
    (beginning) => parseNoteKey(beginning.trim()).ok,
    'a verifier key, which is named by --trust or --witness',
  ],
];

/**
 * For whoever has mixed up their files: what one looks like, judged by its beginning, and which command
 * takes it. Undefined for what looks like nothing that any command takes.
 */
export function inputKind(beginning: Uint8Array): string | undefined {
  const text = Buffer.from(beginning.subarray(0, BEGINNING_BYTES)).toString('utf8');
  const found = KINDS.find(([looksLikeIt]) => looksLikeIt(text));
  return found && `this looks like ${found[1]}`;
}
