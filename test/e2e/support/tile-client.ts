import { nodeHash } from '../../../src/kernel/merkle.js';

/**
 * Reads a log as c2sp.org/tlog-tiles says, from its tiles alone, and shares nothing with who serves
 * them but the hash of two nodes.
 */
export class TileClient {
  readonly requested: string[] = [];

  /** @param size of the tree of a verified checkpoint */
  constructor(
    private readonly prefix: string,
    private readonly size: number,
  ) {}

  /** MTH of a part of the tree (RFC 6962 section 2.1). */
  async root(begin = 0, end = this.size): Promise<Uint8Array> {
    const width = end - begin;
    if (width === 1) return this.hash(0, begin);
    const level = Math.log2(width) / 8;
    if (Number.isInteger(level)) return this.hash(level, begin / width);
    const split = 2 ** (Math.ceil(Math.log2(width)) - 1);
    return nodeHash(await this.root(begin, begin + split), await this.root(begin + split, end));
  }

  /** PATH of a leaf (section 2.1.1). */
  async inclusionProof(index: number, begin = 0, end = this.size): Promise<readonly Uint8Array[]> {
    if (end - begin === 1) return [];
    const middle = begin + 2 ** (Math.ceil(Math.log2(end - begin)) - 1);
    return index < middle
      ? [...(await this.inclusionProof(index, begin, middle)), await this.root(middle, end)]
      : [...(await this.inclusionProof(index, middle, end)), await this.root(begin, middle)];
  }

  /** One hash of a level of tiles. */
  async hash(level: number, index: number): Promise<Uint8Array> {
    const number = Math.floor(index / 256);
    const hashes = Math.floor(this.size / 256 ** level);
    const width = Math.min(256, hashes - number * 256);
    const tile = await this.#tile(level, number, width);
    return tile.subarray((index % 256) * 32, (index % 256) * 32 + 32);
  }

  readonly #tiles = new Map<string, Promise<Uint8Array>>();

  #tile(level: number, number: number, width: number): Promise<Uint8Array> {
    const groups = String(number).padStart(3, '0');
    const padded = groups.padStart(Math.ceil(groups.length / 3) * 3, '0');
    const elements = padded.match(/\d{3}/g) ?? [];
    const path = elements.map((each, at) => (at < elements.length - 1 ? `x${each}` : each));
    const partial = width < 256 ? `.p/${String(width)}` : '';
    const url = `${this.prefix}/tile/${String(level)}/${path.join('/')}${partial}`;
    let tile = this.#tiles.get(url);
    if (tile === undefined) this.#tiles.set(url, (tile = this.#fetch(url, width)));
    return tile;
  }

  async #fetch(url: string, width: number): Promise<Uint8Array> {
    this.requested.push(url);
    const answer = await fetch(url);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (answer.status !== 200 || bytes.length !== width * 32) {
      throw new Error(`${url}: ${String(answer.status)}, ${String(bytes.length)} bytes`);
    }
    return bytes;
  }
}
