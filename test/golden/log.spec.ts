import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { checkpointsBefore, cosignaturesOf } from '../../src/audit/log/checkpoint-rows.js';
import type { LogEvent } from '../../src/audit/log/domain/events.js';
import { LOG_EVENT_TYPES } from '../../src/audit/log/event-types.js';
import { LogTree } from '../../src/audit/log/log-tree.js';
import { TreeView } from '../../src/audit/log/tree-view.js';
import type { Position } from '../../src/event-store/port.js';
import { parseNoteKey, verifyNote, type NoteKey } from '../../src/kernel/note-key.js';
import { parseNote } from '../../src/kernel/signed-note.js';
import { SqliteReadDatabase } from '../../src/projections/sqlite/sqlite-read-database.js';
import { expectSchemasToHold, readStored, replay, type StoredLog } from './stored-log.js';

interface StoredCheckpoints extends StoredLog {
  readonly verifierKey: string;
  readonly witness: string;
}

const log = readStored<StoredCheckpoints>(new URL('./log.json', import.meta.url));
const leaves = readStored<StoredLog>(new URL('./platform-keys.json', import.meta.url)).events;

let folder: string;
let database: SqliteReadDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-golden-'));
  database = new SqliteReadDatabase(join(folder, 'tree.db'));
});

afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

it('the log holds every type of event', () => {
  const types = new Set(log.events.map(({ type }) => type));
  expect([...types].sort()).toEqual(Object.keys(LOG_EVENT_TYPES).sort());
});

it('matches the schemas of its events', () => {
  expectSchemasToHold(log, LOG_EVENT_TYPES);
});

it('its notes are signed by the log, and by the witness', () => {
  const [signed, cosigned] = replay<LogEvent>(log, LOG_EVENT_TYPES);
  if (signed?.type !== 'checkpoint-signed' || cosigned?.type !== 'checkpoint-cosigned') {
    throw new Error('the log begins with another event');
  }
  const note = parseNote(signed.data.note + cosigned.data.line);
  for (const key of [log.verifierKey, log.witness]) {
    expect(note && verifyNote(note, keyOf(key)).verdict).toBe('signed');
  }
});

it('the same tree is built from the same events: every checkpoint holds', () => {
  const tree = new LogTree(database, 'countersign.example/log', 'sqlite');
  const [first, cosigned, second] = log.events;
  const inLogOrder = [...leaves.slice(0, 2), first, cosigned, ...leaves.slice(2), second];
  tree.take(
    inLogOrder.flatMap((event, index) =>
      event === undefined
        ? []
        : [{ ...event, position: String(index + 1).padStart(20, '0') as Position }],
    ),
  );
  const view = new TreeView(database);
  const checkpoints = checkpointsBefore(view, Number.MAX_SAFE_INTEGER, 10);
  expect(checkpoints.map(({ size, holds }) => [size, holds])).toEqual([
    [leaves.length, true],
    [2, true],
  ]);
  expect(cosignaturesOf(view, 0)).toMatchObject([{ witness: log.witness, cosignedAt: 1893456012 }]);
});

function keyOf(text: string): NoteKey {
  const key = parseNoteKey(text);
  if (!key.ok) throw new Error(key.error);
  return key.value;
}
