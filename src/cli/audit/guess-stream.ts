const SUBJECT = Buffer.from('"subject":"');
const QUOTE = 0x22;

/**
 * The stream of a line, found without reading the line: the first member named `subject`, as the
 * service writes it. Only a guess, by which the line finds its judge, who reads it and knows;
 * undefined where there is none.
 */
export function guessStream(block: Buffer, begin: number, end: number): string | undefined {
  const found = block.indexOf(SUBJECT, begin);
  if (found === -1 || found >= end) return undefined;
  const from = found + SUBJECT.length;
  const to = block.indexOf(QUOTE, from);
  return to === -1 || to > end ? undefined : block.toString('latin1', from, to);
}
