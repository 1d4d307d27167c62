import { AUDITED_STREAM_PREFIXES } from '../../../../src/audit/audited-streams.js';
import type { RecordedEnvelope } from '../../../../src/event-store/port.js';
import { encodeBase64Url } from '../../../../src/kernel/base64url.js';
import { envelopeText } from '../../../../src/kernel/envelope.js';
import { leafHash, MerkleFrontier } from '../../../../src/kernel/merkle.js';

/** What a log says of its own tree. */
interface SignedTrees {
  /** Audited events. */
  readonly size: number;
  /** Sizes that were signed, in the order of the stream. */
  readonly signed: readonly number[];
  /** Those of them whose root is another one than that of the log's first events, or that were early. */
  readonly untrue: readonly number[];
}

/** Root of the tree of the first so many audited events of a log, made here by itself: base64url. */
export function rootOfFirst(size: number, log: Iterable<RecordedEnvelope>): string {
  const frontier = new MerkleFrontier();
  for (const event of log) {
    if (frontier.size === size) break;
    if (isAudited(event)) frontier.append(leafHash(envelopeText(event)));
  }
  return encodeBase64Url(frontier.root());
}

function isAudited({ stream }: RecordedEnvelope): boolean {
  return AUDITED_STREAM_PREFIXES.some((prefix) => stream.startsWith(prefix));
}

/** Compares every checkpoint in a log with the tree of the events before it, made here by itself. */
export function signedTrees(log: Iterable<RecordedEnvelope>): SignedTrees {
  const frontier = new MerkleFrontier();
  const roots = new Map<unknown, string>();
  const signed: number[] = [];
  const untrue: number[] = [];
  for (const event of log) {
    if (isAudited(event)) {
      frontier.append(leafHash(envelopeText(event)));
      roots.set(frontier.size, encodeBase64Url(frontier.root()));
    }
    if (event.type !== 'checkpoint-signed') continue;
    const { size, rootHash } = event.data;
    signed.push(Number(size));
    if (roots.get(size) !== rootHash) untrue.push(Number(size));
  }
  return { size: frontier.size, signed, untrue };
}
