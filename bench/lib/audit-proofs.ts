import { randomBytes } from 'node:crypto';
import { GrowingTiles } from '../../src/audit/log/growing-tiles.js';
import { createTables, NOTHING, putState, putTile } from '../../src/audit/log/tables.js';
import { TreeView } from '../../src/audit/log/tree-view.js';
import { encodeBase64Url } from '../../src/kernel/base64url.js';
import {
  HASH_BYTES,
  MerkleFrontier,
  verifyConsistency,
  verifyInclusion,
} from '../../src/kernel/merkle.js';
import { SqliteReadDatabase } from '../../src/projections/sqlite/sqlite-read-database.js';

/** Leaves that the tree takes in one transaction. */
const PAGE = 10_000;

/** Milliseconds of each question. */
export interface ProofTimes {
  readonly inclusion: readonly number[];
  readonly consistency: readonly number[];
}

/**
 * Grows a tree of so many leaves in a file, by the code that grows the tiles in the service. The leaves
 * are random, and the index of their hashes, which takes the most time and no proof reads, stays empty.
 */
export function growTree(file: string, leaves: number): void {
  const database = new SqliteReadDatabase(file);
  database.transaction(createTables);
  const growing = new GrowingTiles(0, () => new Uint8Array());
  const frontier = new MerkleFrontier();
  while (growing.size < leaves) {
    database.transaction((db) => {
      const writer = {
        put: (level: number, number: number, hashes: Uint8Array) => {
          putTile(db, level, number, hashes);
        },
      };
      const end = Math.min(growing.size + PAGE, leaves);
      while (growing.size < end) {
        const hash = randomBytes(HASH_BYTES);
        growing.append(hash, writer);
        frontier.append(hash);
      }
      growing.flush(writer);
      putState(db, { ...NOTHING, size: end, frontier: frontier.roots.map(encodeBase64Url) });
    });
  }
  database.close();
}

/**
 * Asks for so many proofs of either kind, of random leaves in trees of random sizes: what the service
 * does for one question (`log-proofs.controller.ts`), HTTP apart. Each question reads its tiles from the
 * file again, as each request does. Every proof is verified.
 * @throws when a proof does not hold
 */
export function timeProofs(file: string, questions: number): ProofTimes {
  const database = new SqliteReadDatabase(file);
  try {
    const tree = new TreeView(database);
    const { size: leaves } = tree;
    const times = { inclusion: [] as number[], consistency: [] as number[] };
    for (let n = 0; n < questions; n++) {
      const size = 1 + below(leaves);
      times.inclusion.push(timeInclusion(tree, below(size), size));
      times.consistency.push(timeConsistency(tree, 1 + below(size), size));
    }
    return times;
  } finally {
    database.close();
  }
}

function timeInclusion(tree: TreeView, index: number, size: number): number {
  const started = performance.now();
  const leafHash = tree.leafAt(index);
  const root = tree.hashes().rootAt(size);
  const proof = tree.hashes().inclusionProof(index, size);
  const took = performance.now() - started;
  if (!verifyInclusion({ leafHash, index, size, proof, root })) {
    throw new Error(`leaf ${String(index)} is not proved to be in ${String(size)}`);
  }
  return took;
}

function timeConsistency(tree: TreeView, first: number, second: number): number {
  const started = performance.now();
  const firstRoot = tree.hashes().rootAt(first);
  const secondRoot = tree.hashes().rootAt(second);
  const proof = tree.hashes().consistencyProof(first, second);
  const took = performance.now() - started;
  if (!verifyConsistency({ first, second, firstRoot, secondRoot, proof })) {
    throw new Error(`${String(first)} is not proved to begin ${String(second)}`);
  }
  return took;
}

function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}
