import { encodeBase64Url } from '../../kernel/base64url.js';
import { parseSignedCheckpoint } from '../../kernel/checkpoint.js';
import { formatNoteKey, verifyNote, type NoteKey } from '../../kernel/note-key.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { formatSignatureLine, parseNote, type SignedNote } from '../../kernel/signed-note.js';
import { millisecondsOf, type Clock } from '../../kernel/timestamp.js';
import { checkpointOfSize, cosignaturesOf, type StoredCheckpoint } from './checkpoint-rows.js';
import type { CheckpointWriter } from './checkpoint-writer.js';
import type { CheckpointCosigned } from './domain/events.js';
import type { TreeView } from './tree-view.js';

export interface CosigningOptions {
  readonly witnesses: readonly NoteKey[];
  readonly tree: TreeView;
  readonly writer: CheckpointWriter;
  readonly catchUp: () => Promise<boolean>;
  readonly clock: Clock;
}

/** Signatures that are looked at in one submission. */
const MAX_LINES = 16;
/** A witness's clock may be ahead of, or behind, the service's by so much, in seconds. */
const LEEWAY_SECONDS = 300;
/** Each takes one cosignature, or loses a race. */
const MAX_ATTEMPTS = 24;

/** Takes the cosignatures of witnesses (c2sp.org/tlog-cosignature) over published checkpoints. */
export class Cosigning {
  constructor(private readonly options: CosigningOptions) {}

  /** Whose cosignatures count. */
  get witnesses(): readonly NoteKey[] {
    return this.options.witnesses;
  }

  /**
   * Records the cosignatures in a note that are by configured witnesses; those of others say nothing.
   * Each witness cosigns a checkpoint once: what comes later changes nothing.
   *
   * Refuses with `request-invalid` (no note of a checkpoint, or of more than 16 signatures),
   * `beyond-checkpoint` (this text was never published), `witness-unknown`, `signature-invalid`,
   * `signed-time-out-of-range` and `contention`.
   *
   * @param text a signed note: the text of a published checkpoint, and cosignatures
   * @returns the note of the checkpoint as it is served from now on
   */
  async submit(text: string): Promise<Result<{ readonly note: string }, Rejection>> {
    const signed = parseSignedCheckpoint(text);
    if (signed === undefined || signed.note.signatures.length > MAX_LINES) {
      const detail = `note is no signed checkpoint with at most ${String(MAX_LINES)} signatures`;
      return err({ code: 'request-invalid', detail });
    }
    if (!signed.note.signatures.some((line) => this.#witnessOf(line) !== undefined)) {
      return err({ code: 'witness-unknown' });
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const seen = this.options.tree.state;
      const checkpoint = this.#published(signed.note.text, signed.checkpoint.size);
      if (checkpoint === undefined) return err({ code: 'beyond-checkpoint' });
      const news = this.#newCosignatures(signed.note, checkpoint);
      if (!news.ok) return news;
      const [first] = news.value;
      if (first === undefined) return ok({ note: this.#note(checkpoint) });
      await this.options.writer.append(first, seen);
      if (!(await this.options.catchUp())) return err({ code: 'projection-behind' });
    }
    return err({ code: 'contention' });
  }

  #witnessOf({ name, keyId }: { name: string; keyId: string }): NoteKey | undefined {
    return this.witnesses.find((witness) => witness.name === name && witness.keyId === keyId);
  }

  #published(text: string, size: number): StoredCheckpoint | undefined {
    const { tree } = this.options;
    const checkpoint = tree.isThere ? checkpointOfSize(tree, size) : undefined;
    return checkpoint !== undefined && parseNote(checkpoint.note)?.text === text
      ? checkpoint
      : undefined;
  }

  /** Those of witnesses that have not cosigned the checkpoint yet. */
  #newCosignatures(
    note: SignedNote,
    { revision, recordedAt, size, rootHash }: StoredCheckpoint,
  ): Result<readonly CheckpointCosigned[], Rejection> {
    const known = cosignaturesOf(this.options.tree, revision).map(({ witness }) => witness);
    const now = this.options.clock() / 1000;
    // A checkpoint of a clock that was ahead was published now at the latest.
    const earliest = Math.min(millisecondsOf(recordedAt) / 1000, now) - LEEWAY_SECONDS;
    const news: CheckpointCosigned[] = [];
    for (const key of this.witnesses) {
      const witness = formatNoteKey(key);
      if (known.includes(witness)) continue;
      const line = note.signatures.find((each) => this.#witnessOf(each) === key);
      if (line === undefined) continue;
      const verdict = verifyNote({ text: note.text, signatures: [line] }, key);
      if (verdict.verdict !== 'signed' || verdict.cosignedAt === null) {
        return err({ code: 'signature-invalid' });
      }
      const { cosignedAt } = verdict;
      // c2sp.org/tlog-cosignature section "Format": the time at which the cosignature was generated.
      if (cosignedAt < earliest || cosignedAt > now + LEEWAY_SECONDS) {
        return err({ code: 'signed-time-out-of-range' });
      }
      const data = {
        size,
        rootHash: encodeBase64Url(rootHash),
        witness,
        cosignedAt,
        line: formatSignatureLine(line),
      };
      news.push({ type: 'checkpoint-cosigned', data, texts: null });
    }
    return ok(news);
  }

  #note({ revision, note }: StoredCheckpoint): string {
    const { tree } = this.options;
    return (
      note +
      cosignaturesOf(tree, revision)
        .map(({ line }) => line)
        .join('')
    );
  }
}
