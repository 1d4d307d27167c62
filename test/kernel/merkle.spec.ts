import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  EMPTY_ROOT,
  leafHash,
  MerkleFrontier,
  nodeHash,
  verifyConsistency,
  verifyInclusion,
} from '../../src/kernel/merkle.js';
import { ReferenceTree } from './support/reference-tree.js';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const unhex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));

/** The test tree of Certificate Transparency: leaves, and the roots of its first 0 to 8 leaves. */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const NODE = {
  '0,1': '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  '0,4': 'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  '1,0': 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  '1,1': '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
  '1,2': '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
  '1,3': 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
  '2,0': 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '2,1': '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
} as const;

/** Proofs as published with that tree (RFC 6962 section 2.1 by example). */
const INCLUSION: readonly (readonly [index: number, size: number, proof: readonly string[]])[] = [
  [0, 1, []],
  [0, 8, [NODE['0,1'], NODE['1,1'], NODE['2,1']]],
  [5, 8, [NODE['0,4'], NODE['1,3'], NODE['2,0']]],
  [2, 3, [NODE['1,0']]],
  [
    1,
    5,
    ['6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d', NODE['1,1'], NODE['0,4']],
  ],
];
const CONSISTENCY: readonly (readonly [first: number, second: number, proof: readonly string[]])[] =
  [
    [1, 1, []],
    [1, 8, [NODE['0,1'], NODE['1,1'], NODE['2,1']]],
    [6, 8, [NODE['1,2'], NODE['1,3'], NODE['2,0']]],
    [2, 5, [NODE['1,1'], NODE['0,4']]],
  ];

const rootOf = (size: number) => unhex(ROOTS[size] ?? '');

describe('RFC 6962 hashing', () => {
  it('gives the published roots of the test tree', () => {
    const frontier = new MerkleFrontier();
    const roots = [hex(frontier.root())];
    for (const leaf of LEAVES) {
      frontier.append(leafHash(unhex(leaf)));
      roots.push(hex(frontier.root()));
    }
    expect(roots).toEqual(ROOTS);
    expect(hex(EMPTY_ROOT)).toBe(ROOTS[0]);
  });

  it('hashes a text as its UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const expected = createHash('sha256').update('\0').update(text, 'utf8').digest('hex');
        expect(hex(leafHash(text))).toBe(expected);
        expect(hex(leafHash(Buffer.from(text)))).toBe(expected);
      }),
    );
  });

  it('gives a leaf and a node of the same bytes different hashes', () => {
    const [left, right] = [leafHash('left'), leafHash('right')];
    const joined = Buffer.concat([left, right]);
    expect(hex(nodeHash(left, right))).not.toBe(hex(leafHash(joined)));
  });
});

describe('proofs', () => {
  it.each(INCLUSION)('published: leaf %i in the tree of %i', (index, size, proof) => {
    const claim = {
      leafHash: leafHash(unhex(LEAVES[index] ?? '')),
      index,
      size,
      proof: proof.map(unhex),
      root: rootOf(size),
    };
    expect(verifyInclusion(claim)).toBe(true);
    expect(verifyInclusion({ ...claim, root: rootOf(size - 1) })).toBe(false);
  });

  it.each(CONSISTENCY)('published: the tree of %i begins that of %i', (first, second, proof) => {
    const claim = {
      first,
      second,
      firstRoot: rootOf(first),
      secondRoot: rootOf(second),
      proof: proof.map(unhex),
    };
    expect(verifyConsistency(claim)).toBe(true);
    expect(verifyConsistency({ ...claim, firstRoot: rootOf(first + 1) })).toBe(false);
  });
});

const LARGEST = 257;

describe(`every size from 0 to ${String(LARGEST)}`, () => {
  const tree = new ReferenceTree();

  beforeAll(() => {
    for (let index = 0; index < LARGEST; index++) tree.append(leafHash(`entry ${String(index)}`));
  });

  it('has the root that the definition gives, also when continued from a frontier', () => {
    let frontier = new MerkleFrontier();
    for (let size = 0; size <= LARGEST; size++) {
      expect(hex(frontier.root())).toBe(hex(tree.root(size)));
      expect(frontier.size).toBe(size);
      frontier = new MerkleFrontier(frontier.size, frontier.roots);
      if (size < LARGEST) frontier.append(tree.leaf(size));
    }
  });

  it('has a valid inclusion proof for each leaf, and for no other place', () => {
    for (let size = 1; size <= LARGEST; size++) {
      const root = tree.root(size);
      for (let index = 0; index < size; index++) {
        const proof = tree.inclusionProof(index, size);
        const claim = { leafHash: tree.leaf(index), index, size, proof, root };
        if (!verifyInclusion(claim)) throw new Error(`${String(index)} of ${String(size)}`);
        const elsewhere = (index + 1) % size;
        if (size > 1 && verifyInclusion({ ...claim, index: elsewhere })) {
          throw new Error(`${String(index)} of ${String(size)} also at ${String(elsewhere)}`);
        }
      }
    }
  });

  it('is consistent with every smaller one, and with no other root', () => {
    for (let second = 0; second <= LARGEST; second++) {
      for (let first = 0; first <= second; first++) {
        const [firstRoot, secondRoot] = [tree.root(first), tree.root(second)];
        const proof = tree.consistencyProof(first, second);
        const claim = { first, second, firstRoot, secondRoot, proof };
        const place = `${String(first)} to ${String(second)}`;
        if (!verifyConsistency(claim)) throw new Error(place);
        const other = leafHash('other');
        if (verifyConsistency({ ...claim, firstRoot: other })) throw new Error(`${place}: first`);
        const isFree = first === 0 && second > 0;
        if (!isFree && verifyConsistency({ ...claim, secondRoot: other })) {
          throw new Error(`${place}: second`);
        }
      }
    }
  });

  it('refuses every proof that was cut, extended or changed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: LARGEST - 1 }),
        fc.integer({ min: 1, max: LARGEST }),
        fc.nat(),
        (a, b, pick) => {
          const [first, second] = a < b ? [a, b] : [b, a];
          const inclusion = tree.inclusionProof(first - 1, second);
          const consistency = tree.consistencyProof(first, second);
          for (const changed of mutations(inclusion, pick)) {
            const root = tree.root(second);
            const claim = { leafHash: tree.leaf(first - 1), index: first - 1, size: second, root };
            expect(verifyInclusion({ ...claim, proof: changed })).toBe(false);
          }
          for (const changed of mutations(consistency, pick)) {
            const roots = { firstRoot: tree.root(first), secondRoot: tree.root(second) };
            expect(verifyConsistency({ first, second, ...roots, proof: changed })).toBe(false);
          }
        },
      ),
    );
  });
});

/** Proofs that are not this one. */
function mutations(proof: readonly Uint8Array[], pick: number): readonly Uint8Array[][] {
  const surplus = [
    [...proof, EMPTY_ROOT],
    [EMPTY_ROOT, ...proof],
  ];
  if (proof.length === 0) return surplus;
  const place = pick % proof.length;
  const flipped = Uint8Array.from(proof[place] ?? []);
  flipped[pick % 32] = (flipped[pick % 32] ?? 0) ^ 1;
  return [
    ...surplus,
    proof.slice(1),
    proof.slice(0, -1),
    proof.toSpliced(place, 1, flipped),
    proof.toSpliced(place, 1, flipped.subarray(0, 31)),
  ];
}

describe('malformed claims are false', () => {
  const leaf = leafHash('only');
  const inclusion = { leafHash: leaf, index: 0, size: 1, proof: [], root: leaf };
  const consistency = { first: 1, second: 1, firstRoot: leaf, secondRoot: leaf, proof: [] };

  it.each([
    ['a negative index', { index: -1 }],
    ['an index that is no integer', { index: 0.5 }],
    ['an index beyond the tree', { index: 1 }],
    ['an empty tree', { size: 0 }],
    ['a size that is no number', { size: Number.NaN }],
    ['a size beyond exact integers', { index: 0, size: 2 ** 53 }],
    ['an infinite size', { size: Number.POSITIVE_INFINITY }],
    ['a short root', { root: leaf.subarray(1) }],
    ['a short leaf', { leafHash: leaf.subarray(1), root: leaf.subarray(1) }],
  ])('%s', (_, change) => {
    expect(verifyInclusion(inclusion)).toBe(true);
    expect(verifyInclusion({ ...inclusion, ...change })).toBe(false);
  });

  it.each([
    ['a shrinking log', { first: 2 }],
    ['a negative size', { first: -1 }],
    ['a size that is no integer', { first: 0.5 }],
    ['sizes beyond exact integers', { first: 2 ** 53, second: 2 ** 53 }],
    ['an empty first tree with a root', { first: 0 }],
    ['a missing proof', { second: 2 }],
  ])('%s', (_, change) => {
    expect(verifyConsistency(consistency)).toBe(true);
    expect(verifyConsistency({ ...consistency, ...change })).toBe(false);
  });

  it('counts beyond 32 bits', () => {
    const size = 2 ** 40 + 1;
    const proof = [leafHash('the first 2^40')];
    const root = nodeHash(proof[0] ?? leaf, leaf);
    expect(verifyInclusion({ leafHash: leaf, index: 2 ** 40, size, proof, root })).toBe(true);
    const [firstRoot = leaf] = proof;
    const claim = { first: 2 ** 40, second: size, firstRoot, secondRoot: root, proof: [leaf] };
    expect(verifyConsistency(claim)).toBe(true);
    expect(verifyConsistency({ ...claim, first: 2 ** 8 })).toBe(false);
  });
});

describe('a frontier', () => {
  it('continues from what another one says, and from nothing else', () => {
    const hash = leafHash('x');
    expect(() => new MerkleFrontier(3, [hash])).toThrow(RangeError);
    expect(() => new MerkleFrontier(2, [hash, hash])).toThrow(RangeError);
    expect(() => new MerkleFrontier(-1)).toThrow(RangeError);
    expect(() => new MerkleFrontier(1, [hash.subarray(1)])).toThrow(RangeError);
    expect(hex(new MerkleFrontier(2, [hash]).root())).toBe(hex(hash));
  });
});
