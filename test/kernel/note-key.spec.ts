import { describe, expect, it } from '@jest/globals';
import { privateKeyObject, signEd25519, type Ed25519PrivateJwk } from '../../src/kernel/ed25519.js';
import {
  formatNoteKey,
  noteKey,
  parseNoteKey,
  signNote,
  verifyNote,
  type NoteKey,
} from '../../src/kernel/note-key.js';
import { formatNote, parseNote, type SignedNote } from '../../src/kernel/signed-note.js';
import { BEHIND_THE_SOFA, PETER_NEUMANN } from './support/published-notes.js';

function read(key: string): NoteKey {
  const parsed = parseNoteKey(key);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

function note(text: string): SignedNote {
  const parsed = parseNote(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
}

const peter = read(PETER_NEUMANN.verifierKey);
const privateJwk: Ed25519PrivateJwk = { ...peter.jwk, d: PETER_NEUMANN.seed };
const sign = (message: string) => signEd25519(privateKeyObject(privateJwk), message);

describe('verifier keys', () => {
  it('reads and writes the published one', () => {
    expect(peter).toMatchObject({ name: 'PeterNeumann', keyId: 'c74f20a3', algorithm: 'ed25519' });
    expect(formatNoteKey(peter)).toBe(PETER_NEUMANN.verifierKey);
    expect(noteKey('PeterNeumann', 'ed25519', peter.jwk)).toEqual(peter);
  });

  it('gives one public key another id under another name, or for another use', () => {
    const ids = new Set([
      peter.keyId,
      noteKey('PeterNeumann', 'cosignature/v1', peter.jwk).keyId,
      noteKey('peterneumann', 'ed25519', peter.jwk).keyId,
    ]);
    expect(ids.size).toBe(3);
  });

  it('brings a witness’s key through its text', () => {
    const witness = noteKey('witness.example/w1', 'cosignature/v1', peter.jwk);
    expect(read(formatNoteKey(witness))).toEqual(witness);
  });

  it.each([
    ['nothing', ''],
    ['another key id', PETER_NEUMANN.verifierKey.replace('c74f20a3', 'c74f20a4')],
    ['a key id in capitals', PETER_NEUMANN.verifierKey.replace('c74f20a3', 'C74F20A3')],
    ['another name', PETER_NEUMANN.verifierKey.replace('Peter', 'Paul')],
    ['no name', PETER_NEUMANN.verifierKey.replace('PeterNeumann', '')],
    ['a space in the name', PETER_NEUMANN.verifierKey.replace('PeterN', 'Peter N')],
    ['a short key', PETER_NEUMANN.verifierKey.slice(0, -4)],
    ['a newline after it', `${PETER_NEUMANN.verifierKey}\n`],
    [
      'a private key',
      'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz',
    ],
    // Types 0x02 (ECDSA) and 0x06 (ML-DSA-44) over the same 32 bytes, with the ids that fit.
    [
      'an algorithm that is not read here',
      'PeterNeumann+775c2e74+Ahpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    ],
  ])('refuses %s', (_, text) => {
    expect(parseNoteKey(text)).toEqual({ ok: false, error: 'key-malformed' });
  });

  it('refuses a point under which anything verifies', () => {
    const identity = Buffer.alloc(32);
    identity[0] = 1;
    const unsafe = noteKey('log', 'ed25519', {
      kty: 'OKP',
      crv: 'Ed25519',
      x: identity.toString('base64url'),
    });
    expect(parseNoteKey(formatNoteKey(unsafe))).toEqual({ ok: false, error: 'key-unsafe-point' });
  });
});

describe('signatures of notes', () => {
  it('verifies the published note, and makes the same bytes', () => {
    expect(verifyNote(note(PETER_NEUMANN.note), peter)).toEqual({
      verdict: 'signed',
      cosignedAt: null,
    });
    const { text } = PETER_NEUMANN;
    expect(formatNote({ text, signatures: [signNote(text, peter, sign)] })).toBe(
      PETER_NEUMANN.note,
    );
  });

  it('says invalid of a changed text, and of a good signature beside a bad one', () => {
    const changed = note(PETER_NEUMANN.note.replace('answer', 'Answer'));
    expect(verifyNote(changed, peter)).toEqual({ verdict: 'invalid' });
    const { text, signatures } = note(PETER_NEUMANN.note);
    const bad = signatures.map((each) => ({ ...each, signature: each.signature.toReversed() }));
    const both = { text, signatures: [...signatures, ...bad] };
    expect(verifyNote(both, peter)).toEqual({ verdict: 'invalid' });
  });

  it('says absent when name or key id are another’s', () => {
    const { text, signatures } = note(PETER_NEUMANN.note);
    const renamed = signatures.map((each) => ({ ...each, name: 'Paul' }));
    const renumbered = signatures.map((each) => ({ ...each, keyId: 'c74f20a4' }));
    for (const others of [renamed, renumbered]) {
      expect(verifyNote({ text, signatures: others }, peter)).toEqual({ verdict: 'absent' });
    }
  });

  it('reads the published cosignature: its time is in front of its 64 bytes', () => {
    const [, cosignature] = note(BEHIND_THE_SOFA).signatures;
    expect(cosignature).toMatchObject({ name: 'witness.example.com/w1', keyId: '8d66cf3f' });
    expect(cosignature?.signature).toHaveLength(72);
    // The example was made at 20 March 2023, 12:25 UTC or so; its key is not published.
    const time = Buffer.from(cosignature?.signature ?? []).readBigUInt64BE();
    expect(time).toBe(1679315147n);
  });

  it('signs and verifies cosignatures: text, time and name are under them', () => {
    const witness = noteKey('witness.example/w1', 'cosignature/v1', peter.jwk);
    const { text } = note(BEHIND_THE_SOFA);
    const made = signNote(text, witness, sign, 1679315147);
    expect(verifyNote({ text, signatures: [made] }, witness)).toEqual({
      verdict: 'signed',
      cosignedAt: 1679315147,
    });
    const later = Uint8Array.from(made.signature);
    later[7] = (later[7] ?? 0) + 1;
    for (const [changedText, signature] of [
      [text, later],
      [text.replace('20852163', '20852164'), made.signature],
      [text, made.signature.subarray(8)],
    ] as const) {
      const changed = { text: changedText, signatures: [{ ...made, signature }] };
      expect(verifyNote(changed, witness)).toEqual({ verdict: 'invalid' });
    }
  });

  it('takes no plain signature for a cosignature, and none the other way round', () => {
    const witness = noteKey('PeterNeumann', 'cosignature/v1', peter.jwk);
    const text = 'text\n';
    const plain = { ...signNote(text, peter, sign), keyId: witness.keyId };
    expect(verifyNote({ text, signatures: [plain] }, witness)).toEqual({ verdict: 'invalid' });
    const cosigned = { ...signNote(text, witness, sign, 1), keyId: peter.keyId };
    expect(verifyNote({ text, signatures: [cosigned] }, peter)).toEqual({ verdict: 'invalid' });
  });
});
