import { join } from 'node:path';
import { parseNoteKey, type NoteKey } from '../kernel/note-key.js';
import type { TransparencyLogConfig } from './config.js';
import type { EnvironmentReader } from './environment.js';
import { readFile } from './read-stores.js';

/** Reads `LOG_TREE`, `LOG_CHECKPOINT_SECONDS`, `LOG_CHECKPOINT_FILE` and `LOG_WITNESSES`. */
export function readTransparencyLog(
  reader: EnvironmentReader,
  dataFolder: string,
): TransparencyLogConfig {
  return {
    tree: readFile(reader, 'LOG_TREE', join(dataFolder, 'log-tree.db')),
    checkpointIntervalMs: reader.integer('LOG_CHECKPOINT_SECONDS', 10, [1, 86_400]) * 1000,
    checkpointFile: reader.optional('LOG_CHECKPOINT_FILE') ?? join(dataFolder, 'log-checkpoint'),
    witnesses: readWitnesses(reader),
  };
}

const MAX_WITNESSES = 16;

/** Verifier keys (c2sp.org/signed-note) with white space between them: names may hold commas. */
function readWitnesses(reader: EnvironmentReader): readonly NoteKey[] {
  const texts = (reader.optional('LOG_WITNESSES') ?? '').split(/\s+/).filter((text) => text !== '');
  if (texts.length > MAX_WITNESSES) {
    reader.fault('LOG_WITNESSES', `names more than ${String(MAX_WITNESSES)} witnesses`);
  }
  const witnesses = texts.flatMap((text) => {
    const key = parseNoteKey(text);
    if (key.ok && key.value.algorithm === 'cosignature/v1') return [key.value];
    reader.fault('LOG_WITNESSES', `${text} is no verifier key of the type cosignature/v1 (0x04)`);
    return [];
  });
  const names = new Set(witnesses.map(({ name, keyId }) => `${name}+${keyId}`));
  if (names.size < witnesses.length) reader.fault('LOG_WITNESSES', 'names a witness twice');
  return witnesses;
}
