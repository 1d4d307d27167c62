/** Streams whose events everybody needs: what others' signatures are judged by. */
export function isShared(stream: string): boolean {
  return stream.startsWith('agent-') || stream === 'platform-keys';
}

/** Which of so many shards judges a stream: FNV-1a of its name, which spreads ids evenly. */
export function shardOf(stream: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < stream.length; i++) {
    hash = Math.imul(hash ^ stream.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % shards;
}

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
