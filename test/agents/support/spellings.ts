const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Other spellings of the bytes of a base64url text (43 or 86 characters), which lenient decoders
 * take for the same thing.
 */
export function otherSpellings(text: string): readonly { name: string; text: string }[] {
  const last = ALPHABET.indexOf(text.at(-1) ?? 'A');
  const unusedBits = ALPHABET[last ^ 1] ?? '';
  return [
    { name: 'with one =', text: `${text}=` },
    { name: 'with two =', text: `${text}==` },
    { name: 'with + and /', text: Buffer.from(text, 'base64url').toString('base64') },
    { name: 'with a trailing newline', text: `${text}\n` },
    { name: 'with a leading space', text: ` ${text}` },
    { name: 'with a space within', text: `${text.slice(0, 20)} ${text.slice(20)}` },
    { name: 'with its unused bits changed', text: `${text.slice(0, -1)}${unusedBits}` },
    { name: 'in hexadecimal', text: Buffer.from(text, 'base64url').toString('hex') },
  ];
}
