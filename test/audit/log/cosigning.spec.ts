import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cosignaturesOf, newestCheckpoint } from '../../../src/audit/log/checkpoint-rows.js';
import { noteKey, signNote, type NoteKey } from '../../../src/kernel/note-key.js';
import { formatNote, parseNote, type NoteSignature } from '../../../src/kernel/signed-note.js';
import { eventually } from '../../support/eventually.js';
import { append, LogNode, makeKey } from './support/log-node.js';

const pairs = [makeKey('w1'), makeKey('w2')] as const;
const witnesses = pairs.map(({ jwk }, index) =>
  noteKey(`witness.example/w${String(index + 1)}`, 'cosignature/v1', jwk),
);
const [first, second] = witnesses as [NoteKey, NoteKey];
const NOW = Math.floor(Date.now() / 1000);

let folder: string;
let node: LogNode;
let text: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cosigning-'));
  node = await LogNode.open(folder, 'a', { key: makeKey('checkpoint-1'), witnesses });
  await append(node.store, 3);
  await node.catchUp();
  node.signer.start();
  await eventually(() => newestCheckpoint(node.tree) !== undefined);
  text = parseNote(newestCheckpoint(node.tree)?.note ?? '')?.text ?? '';
});

afterEach(async () => {
  await node.close();
  await rm(folder, { recursive: true, force: true });
});

function cosigned(by: NoteKey, of = text, at = NOW): NoteSignature {
  const pair = pairs.find(({ jwk }) => jwk.x === by.jwk.x);
  if (pair === undefined) throw new Error(by.name);
  return signNote(of, by, pair.sign, at);
}

async function submit(signatures: readonly NoteSignature[], of = text): Promise<string> {
  const answer = await node.cosigning.submit(formatNote({ text: of, signatures }));
  return answer.ok ? answer.value.note : answer.error.code;
}

const recorded = () => cosignaturesOf(node.tree, 0).map(({ cosignedAt }) => cosignedAt);

describe('cosignatures', () => {
  it('of configured witnesses are recorded and served with the note', async () => {
    const both = await submit([cosigned(first), cosigned(second, text, NOW + 1)]);
    expect(parseNote(both)?.signatures.map(({ name }) => name)).toEqual([
      'countersign.example/log',
      'witness.example/w1',
      'witness.example/w2',
    ]);
    expect(recorded()).toEqual([NOW, NOW + 1]);
  });

  it('count once for each witness and checkpoint', async () => {
    const one = await submit([cosigned(first)]);
    const revision = node.tree.state.logRevision;
    expect(await submit([cosigned(first)])).toBe(one);
    expect(await submit([cosigned(first, text, NOW + 5)])).toBe(one);
    expect(node.tree.state.logRevision).toBe(revision);
    const several = await Promise.all([submit([cosigned(second)]), submit([cosigned(second)])]);
    expect(new Set(several).size).toBe(1);
    expect(recorded()).toHaveLength(2);
  });

  it('stay when the tree has grown', async () => {
    await append(node.store, 2);
    node.signer.signSoon();
    await eventually(() => newestCheckpoint(node.tree)?.size === 5);
    expect(await submit([cosigned(first)])).toContain('witness.example/w1');
  });

  it('of others beside them say nothing', async () => {
    const stranger = { ...cosigned(first), name: 'stranger.example' };
    expect(await submit([stranger, cosigned(first)])).not.toContain('stranger');
  });

  it.each([
    ['by nobody that is known', 'witness-unknown', () => [{ ...cosigned(first), name: 'other' }]],
    ['of another time than signed', 'signature-invalid', () => [changed(cosigned(first))]],
    ['from the future', 'signed-time-out-of-range', () => [cosigned(first, text, NOW + 3600)]],
    ['without a time', 'signed-time-out-of-range', () => [cosigned(first, text, 0)]],
    [
      'older than the checkpoint',
      'signed-time-out-of-range',
      () => [cosigned(first, text, NOW - 3600)],
    ],
    ['too many', 'request-invalid', () => Array.from({ length: 17 }, () => cosigned(first))],
  ])('%s are refused', async (_, code, signatures) => {
    expect(await submit(signatures())).toBe(code);
    expect(recorded()).toEqual([]);
  });

  it('of a clock that is behind by minutes count, and a refused one takes nobody’s turn', async () => {
    expect(await submit([cosigned(first, text, 0)])).toBe('signed-time-out-of-range');
    expect(await submit([cosigned(first, text, NOW - 240)])).toContain('witness.example/w1');
    expect(recorded()).toEqual([NOW - 240]);
  });

  it('over what was never published are refused', async () => {
    const other = text.replace('\n3\n', '\n2\n');
    expect(await submit([cosigned(first, other)], other)).toBe('beyond-checkpoint');
    const extended = `${text}extension\n`;
    expect(await submit([cosigned(first, extended)], extended)).toBe('beyond-checkpoint');
    const answer = await node.cosigning.submit('no note');
    expect(answer).toMatchObject({ ok: false, error: { code: 'request-invalid' } });
  });
});

function changed(signature: NoteSignature): NoteSignature {
  const bytes = Uint8Array.from(signature.signature);
  bytes[7] = (bytes[7] ?? 0) ^ 1;
  return { ...signature, signature: bytes };
}
