import { beforeAll, describe, expect, it } from '@jest/globals';
import { GrowingTiles } from '../../../src/audit/log/growing-tiles.js';
import { TreeHashes } from '../../../src/audit/log/tree-hashes.js';
import { leafHash, MerkleFrontier, nodeHash } from '../../../src/kernel/merkle.js';
import { ReferenceTree } from '../../kernel/support/reference-tree.js';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const leaf = (index: number) => leafHash(`entry ${String(index)}`);

/** Tiles as they are stored: by name, each the newest that was written. */
class Tiles {
  readonly stored = new Map<string, Uint8Array>();

  put(level: number, number: number, hashes: Uint8Array): void {
    this.stored.set(`${String(level)}/${String(number)}`, Uint8Array.from(hashes));
  }

  readonly read = (level: number, number: number): Uint8Array => {
    const tile = this.stored.get(`${String(level)}/${String(number)}`);
    if (tile === undefined) throw new RangeError(`${String(level)}/${String(number)}`);
    return tile;
  };
}

const LARGEST = 257;

describe(`roots and proofs from tiles, every size from 0 to ${String(LARGEST)}`, () => {
  const reference = new ReferenceTree();
  const tiles = new Tiles();
  const hashes = () => new TreeHashes(tiles.read);

  beforeAll(() => {
    const growing = new GrowingTiles(0, tiles.read);
    for (let index = 0; index < LARGEST; index++) {
      reference.append(leaf(index));
      growing.append(leaf(index), tiles);
    }
    growing.flush(tiles);
  });

  it('roots', () => {
    for (let size = 0; size <= LARGEST; size++) {
      expect([size, hex(hashes().rootAt(size))]).toEqual([size, hex(reference.root(size))]);
    }
  });

  it('inclusion proofs', () => {
    const all = hashes();
    for (let size = 1; size <= LARGEST; size++) {
      for (let index = 0; index < size; index++) {
        const proof = all.inclusionProof(index, size).map(hex);
        const expected = reference.inclusionProof(index, size).map(hex);
        if (proof.join() !== expected.join())
          throw new Error(`${String(index)} of ${String(size)}`);
      }
    }
  });

  it('consistency proofs', () => {
    const all = hashes();
    for (let second = 0; second <= LARGEST; second++) {
      for (let first = 0; first <= second; first++) {
        const proof = all.consistencyProof(first, second).map(hex);
        const expected = reference.consistencyProof(first, second).map(hex);
        if (proof.join() !== expected.join()) throw new Error(`${String(first)}-${String(second)}`);
      }
    }
  });
});

describe('the layout of c2sp.org/tlog-tiles', () => {
  const SIZE = 70_000;
  const tiles = new Tiles();
  const frontier = new MerkleFrontier();

  beforeAll(() => {
    // Taken up again in between, wherever that happens to be.
    let growing = new GrowingTiles(0, tiles.read);
    for (let index = 0; index < SIZE; index++) {
      growing.append(leaf(index), tiles);
      frontier.append(leaf(index));
      if (index % 9_973 === 0 || index === 65_535) {
        growing.flush(tiles);
        growing = new GrowingTiles(growing.size, tiles.read);
      }
    }
    growing.flush(tiles);
  });

  it('has the tiles that its example names for 70,000 entries', () => {
    const widths = new Map<string, number>();
    for (const [name, hashes] of tiles.stored) widths.set(name, hashes.length / 32);
    const [full, partial] = [[], []] as [string[], [string, number][]];
    for (const [name, width] of widths) {
      if (width === 256) full.push(name);
      else partial.push([name, width]);
    }
    expect(full).toHaveLength(273 + 1);
    expect(partial.sort()).toEqual([
      ['0/273', 112],
      ['1/1', 17],
      ['2/0', 1],
    ]);
  });

  it('holds in each tile above the leaves the roots of full tiles below', () => {
    const rootOfTile = (tile: Uint8Array): Uint8Array => {
      if (tile.length === 32) return tile;
      const half = tile.length / 2;
      return nodeHash(rootOfTile(tile.subarray(0, half)), rootOfTile(tile.subarray(half)));
    };
    const slot = (level: number, index: number) =>
      tiles
        .read(level, Math.floor(index / 256))
        .subarray((index % 256) * 32, (index % 256) * 32 + 32);
    for (const index of [0, 1, 255, 256, 272]) {
      expect(hex(slot(1, index))).toBe(hex(rootOfTile(tiles.read(0, index))));
    }
    expect(hex(slot(2, 0))).toBe(hex(rootOfTile(tiles.read(1, 0))));
  });

  it('has the root that an auditor computes from the leaves alone', () => {
    expect(hex(new TreeHashes(tiles.read).rootAt(SIZE))).toBe(hex(frontier.root()));
  });
});
