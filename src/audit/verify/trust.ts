import { parseSignedCheckpoint, type SignedCheckpoint } from '../../kernel/checkpoint.js';
import { parseNoteKey, type NoteKey } from '../../kernel/note-key.js';

/** What whoever verifies brings along: a bundle proves nothing by what it carries itself. */
export interface Trust {
  /** Keys of logs. */
  readonly keys: readonly NoteKey[];
  /** Checkpoints that were kept from an earlier time, or from another source. */
  readonly checkpoints: readonly SignedCheckpoint[];
  /** Witnesses whose cosignature is asked for. */
  readonly witnesses: readonly NoteKey[];
}

/**
 * Reads a text that names trust: a verifier key (c2sp.org/signed-note) or the note of a checkpoint.
 * White space around a key does not count. Undefined for anything else.
 */
export function parseTrust(
  text: string,
): { readonly key: NoteKey } | { readonly checkpoint: SignedCheckpoint } | undefined {
  const key = parseNoteKey(text.trim());
  if (key.ok) return key.value.algorithm === 'ed25519' ? { key: key.value } : undefined;
  const checkpoint = parseSignedCheckpoint(text);
  return checkpoint && { checkpoint };
}

/** A verifier key of a witness: only these make cosignatures. */
export function parseWitness(text: string): NoteKey | undefined {
  const key = parseNoteKey(text.trim());
  return key.ok && key.value.algorithm === 'cosignature/v1' ? key.value : undefined;
}
