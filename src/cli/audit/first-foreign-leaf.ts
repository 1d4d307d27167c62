import { conclude, failure, type CheckResult } from '../../audit/verify/check-result.js';
import type { SignedCheckpoint } from '../../kernel/checkpoint.js';
import { HASH_BYTES, sameHash } from '../../kernel/merkle.js';
import { AuditFault } from './audit-fault.js';
import { linesOf, lineBlocks } from './line-blocks.js';
import type { LogAudit } from './log-audit.js';
import { parseLogLine } from './log-line.js';
import type { ServiceClient } from './service-client.js';

/** Leaves of a tile, c2sp.org/tlog-tiles. */
const TILE_LEAVES = 256;

export interface JudgedTree {
  /** What was said of its checkpoints. */
  readonly tree: readonly CheckResult[];
  /** Leaves that were judged before. */
  readonly from: number;
  /** The checkpoints since. */
  readonly ahead: readonly SignedCheckpoint[];
}

/**
 * When the entries do not lead to a published root: the first of them that is another than the
 * service's own tree holds at its place. Undefined when they do, and when the tree does not tell.
 */
export async function firstForeign(
  log: LogAudit,
  client: ServiceClient,
  { tree, from, ahead }: JudgedTree,
): Promise<CheckResult | undefined> {
  if (!tree.some(({ reason }) => reason === 'root-mismatch' || reason === 'log-shorter')) {
    return undefined;
  }
  const sizes = ahead.map(({ checkpoint }) => checkpoint.size).sort((a, b) => a - b);
  const isRight = ({ checkpoint }: SignedCheckpoint): boolean => {
    const root = log.rootAt(checkpoint.size);
    return root !== undefined && sameHash(root, checkpoint.rootHash);
  };
  const right = ahead.filter(isRight).map(({ checkpoint }) => checkpoint.size);
  const known = Math.max(from, ...right);
  const wrong = sizes.find((size) => size > known);
  return wrong === undefined ? undefined : await firstForeignLeaf(log, client, known, wrong);
}

/**
 * @param from leaves that are known to be right
 * @param to leaves of the tree that is not
 */
async function firstForeignLeaf(
  log: LogAudit,
  client: ServiceClient,
  from: number,
  to: number,
): Promise<CheckResult | undefined> {
  for (let tile = Math.floor(from / TILE_LEAVES); tile * TILE_LEAVES < to; tile++) {
    const first = tile * TILE_LEAVES;
    const width = Math.min(TILE_LEAVES, to - first);
    const hashes = await client.tile(`/log/tile/0/${tilePath(tile, width)}`);
    if (hashes?.length !== width * HASH_BYTES) return undefined;
    for (let nth = 0; nth < width; nth++) {
      const own = log.leafAt(first + nth);
      const theirs = hashes.subarray(nth * HASH_BYTES, (nth + 1) * HASH_BYTES);
      if (own !== undefined && sameHash(own, theirs)) continue;
      const subject = await subjectOf(client, first + nth);
      return conclude('inclusion', subject, failure('not-included'));
    }
  }
  return undefined;
}

/** Section "Parameters": three digits a piece, all but the last one after an x. */
function tilePath(tile: number, width: number): string {
  const digits = String(tile);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const pieces = padded.match(/\d{3}/g) ?? [];
  const path = pieces
    .map((piece, nth) => (nth < pieces.length - 1 ? `x${piece}` : piece))
    .join('/');
  return width === TILE_LEAVES ? path : `${path}.p/${String(width)}`;
}

/** Which event the service gives at this place: it is read once more, as nobody keeps them all. */
async function subjectOf(client: ServiceClient, index: number): Promise<string> {
  let place = 0;
  for await (const block of lineBlocks(client.events(null))) {
    for (const [begin, end] of linesOf(block)) {
      if (place++ !== index) continue;
      const line = parseLogLine(Buffer.from(block).toString('utf8', begin, end));
      if (line === undefined) throw new AuditFault('events-malformed', `entry ${String(index)}`);
      return `entry ${String(index)}, ${line.envelope.stream}@${String(line.envelope.revision)}`;
    }
  }
  return `entry ${String(index)}`;
}
