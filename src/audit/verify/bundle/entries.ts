import type { EvidenceBundle, EvidenceEntry } from '../../../kernel/evidence-bundle.js';
import { decodeBase64Url } from '../../../kernel/base64url.js';
import type { Checkpoint } from '../../../kernel/checkpoint.js';
import { envelopeText, type EventEnvelope } from '../../../kernel/envelope.js';
import { leafHash, verifyInclusion } from '../../../kernel/merkle.js';
import { failure, gap, type Flaw } from '../check-result.js';
import { parseEnvelope } from '../replay/envelope-shape.js';
import { hashes } from './checkpoint.js';

/** An entry where the bundle shows it. */
export interface ShownEntry {
  readonly stream: string;
  /** Place in the stream, as it should be. */
  readonly revision: number;
  readonly entry: EvidenceEntry;
}

/** The entries of a bundle, stream by stream in this order. */
export function* shownEntries(
  { streams }: EvidenceBundle,
  names: readonly string[],
): Generator<ShownEntry> {
  for (const stream of names) {
    for (const [revision, entry] of (entriesOf(streams, stream) ?? []).entries()) {
      yield { stream, revision, entry };
    }
  }
}

/** The bundle's own member, whatever the stream is called. */
export function entriesOf(
  streams: EvidenceBundle['streams'],
  stream: string,
): readonly EvidenceEntry[] | undefined {
  return Object.hasOwn(streams, stream) ? streams[stream] : undefined;
}

/**
 * A stream is there from its first event on, without gaps, in the order of the log, and holds nothing
 * else. Where it ends, no proof of inclusion tells.
 */
export function streamFlaw(
  stream: string,
  entries: readonly EvidenceEntry[] | undefined,
): Flaw | undefined {
  if (entries === undefined || entries.length === 0) return gap('stream-missing', stream);
  let before = -1;
  for (const [expected, entry] of entries.entries()) {
    const { index } = entry;
    const told = 'envelope' in entry ? entry.envelope : { stream, revision: entry.revision };
    if (typeof told.revision !== 'number') return failure('envelope-malformed', `entry ${index}`);
    if (told.stream !== stream) return failure('entry-misplaced', `entry ${index}`);
    if (!('envelope' in entry) && !stream.startsWith('agent-')) {
      return failure('withheld-unexpected', `${stream}@${entry.revision}`);
    }
    if (told.revision !== expected) {
      const missing = `${stream}@${expected}`;
      return told.revision > expected
        ? gap('events-missing', missing)
        : failure('revision-gap', missing);
    }
    if (index <= before) return failure('index-not-growing', `${stream}@${expected}`);
    before = index;
  }
  return undefined;
}

/** The entry stands at its place of the tree. */
export function inclusionFlaw(
  entry: EvidenceEntry,
  { size, rootHash }: Checkpoint,
): Flaw | undefined {
  const leaf = 'envelope' in entry ? leafOf(entry.envelope) : decodeBase64Url(entry.leafHash);
  if (leaf === undefined) return failure('envelope-malformed');
  const isIncluded = verifyInclusion({
    leafHash: leaf,
    index: entry.index,
    size,
    proof: hashes(entry.inclusion),
    root: rootHash,
  });
  return isIncluded ? undefined : failure('not-included', `entry ${entry.index} of ${size}`);
}

/** Undefined for what has no canonical text. */
function leafOf(envelope: EventEnvelope): Uint8Array | undefined {
  if (!parseEnvelope(envelope).ok) return undefined;
  try {
    return leafHash(envelopeText(envelope));
  } catch {
    return undefined;
  }
}
