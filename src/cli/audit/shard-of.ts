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
