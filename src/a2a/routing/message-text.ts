import type { Part } from '../wire/types.js';

/** Characters of a message that are read for its meaning. */
const MAX_TEXT_LENGTH = 8000;

/** What the text parts say, one below the other; empty when they say nothing. */
export function textOf(parts: readonly Part[]): string {
  let text = '';
  for (const part of parts) {
    if (part.text === undefined) continue;
    text += text === '' ? part.text : `\n${part.text}`;
    if (text.length >= MAX_TEXT_LENGTH) break;
  }
  return text.slice(0, MAX_TEXT_LENGTH).trim();
}
