import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { formatNote, isKeyName, parseNote } from '../../src/kernel/signed-note.js';
import { PETER_NEUMANN, QUASIMODO } from './support/published-notes.js';

const LINE = '\u2014 name AAAAAAA=\n';

describe('signed notes', () => {
  it.each([
    ['golang.org/x/mod/sumdb/note', PETER_NEUMANN.note],
    ['c2sp.org/signed-note', QUASIMODO.note],
  ])('reads and writes the example of %s', (_, text) => {
    const note = parseNote(text);
    expect(note?.signatures).toHaveLength(1);
    expect(note && formatNote(note)).toBe(text);
    expect(parseNote(Buffer.from(text))).toEqual(note);
  });

  it('separates at the last empty line: the text may hold others', () => {
    expect(parseNote(QUASIMODO.note)).toMatchObject({
      text: QUASIMODO.text,
      signatures: [{ name: 'quasimodo.example/salvatore', keyId: '367ba04b' }],
    });
  });

  it.each([
    ['nothing', ''],
    ['no signatures', 'text\n'],
    ['no signature after the empty line', 'text\n\n'],
    ['no empty line', `text\n${LINE}`],
    ['no newline at the end', `text\n\n${LINE.slice(0, -1)}`],
    ['a hyphen for the dash', `text\n\n${LINE.replace('\u2014', '-')}`],
    ['no space after the dash', `text\n\n${LINE.replace('\u2014 ', '\u2014')}`],
    ['two spaces', `text\n\n${LINE.replace('name ', 'name  ')}`],
    ['a third word', `text\n\n${LINE.replace('=\n', '= more\n')}`],
    ['no name', `text\n\n${LINE.replace('name', '')}`],
    ['a plus sign in the name', `text\n\n${LINE.replace('name', 'na+me')}`],
    ['a no-break space in the name', `text\n\n${LINE.replace('name', 'na\u00a0me')}`],
    ['an ideographic space in the name', `text\n\n${LINE.replace('name', 'na\u3000me')}`],
    ['a next-line character in the name', `text\n\n${LINE.replace('name', 'na\u0085me')}`],
    ['base64 without padding', `text\n\n${LINE.replace('=', '')}`],
    ['base64 with stray bits', `text\n\n${LINE.replace('AAA=', 'AAB=')}`],
    ['base64url', `text\n\n${LINE.replace('AAA=', 'A_A=')}`],
    ['a key id alone', `text\n\n${LINE.replace('AAAAAAA=', 'AAAAAA==')}`],
    ['half a key id', `text\n\n${LINE.replace('AAAAAAA=', 'AAA=')}`],
    ['a carriage return', `text\r\n\n${LINE}`],
    ['a tab', `te\txt\n\n${LINE}`],
    ['a NUL', `te\0xt\n\n${LINE}`],
    ['a lone surrogate', `te\ud800xt\n\n${LINE}`],
    ['a text line among the signatures', `text\n\n${LINE}more\n${LINE}`],
    ['more than 100 signatures', `text\n\n${LINE.repeat(101)}`],
    ['more than 256 KiB', `${'x'.repeat(256 * 1024)}\n\n${LINE}`],
  ])('refuses %s', (_, text) => {
    expect(parseNote(text)).toBeUndefined();
  });

  it('refuses bytes that are no UTF-8', () => {
    const bytes = Buffer.from(`te?xt\n\n${LINE}`);
    expect(parseNote(bytes)).toBeDefined();
    bytes[2] = 0xff;
    expect(parseNote(bytes)).toBeUndefined();
  });

  it('keeps a byte order mark as what it is: a part of the text', () => {
    const note = `\ufefftext\n\n${LINE}`;
    expect(parseNote(Buffer.from(note))?.text).toBe('\ufefftext\n');
  });

  it('takes 100 signatures', () => {
    expect(parseNote(`text\n\n${LINE.repeat(100)}`)?.signatures).toHaveLength(100);
  });

  it('law: what is written is read again, and what is read is written the same', () => {
    const word = fc.string({ minLength: 1, maxLength: 12 }).filter(isKeyName);
    const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map(withoutControls);
    const signature = fc.record({
      name: word,
      keyId: fc.nat(0xffff_ffff).map((id) => id.toString(16).padStart(8, '0')),
      signature: fc.uint8Array({ minLength: 1, maxLength: 80 }),
    });
    const note = fc.record({
      text: fc.array(line, { minLength: 1 }).map((lines) => `${lines.join('\n')}\n`),
      signatures: fc.array(signature, { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(note, (written) => {
        const text = formatNote(written);
        const read = parseNote(text);
        expect(read?.text).toBe(written.text);
        expect(read && formatNote(read)).toBe(text);
      }),
    );
  });
});

function withoutControls(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are what a note must not hold
  return text.replaceAll(/[\0-\x1f]/g, '');
}
