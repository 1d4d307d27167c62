const MAX_LENGTH = 200;

/**
 * Text from an unverified document for a terminal or a log: one line, no control or invisible
 * characters (they are shown as `\u{...}`), at most 200 characters.
 */
export function printable(text: string): string {
  return visible(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text);
}

/** The same of any length, for texts whose every character is to be reviewed. */
export function visible(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
