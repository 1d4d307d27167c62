import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeBase64Url } from '../../kernel/base64url.js';
import { envelopeText, type EventEnvelope } from '../../kernel/envelope.js';
import { leafHash } from '../../kernel/merkle.js';
import type { TransparencyLog } from '../queries/transparency-log.js';

/** Entries that are proved before others get their turn: some hundred thousand may be in a stream. */
const ENTRIES_PER_TURN = 64;

/** The leaf of an event: what the log's tree holds of it. */
export function leafOf(envelope: EventEnvelope): Uint8Array {
  return leafHash(envelopeText(envelope));
}

/**
 * How many of a stream's leading events are within the first `size` leaves. Events of one stream
 * stand in the tree in their order, so that a search by halves finds the first that does not.
 */
export function countWithin(
  events: readonly EventEnvelope[],
  log: Pick<TransparencyLog, 'indexOf'>,
  size: number,
): number {
  let within = 0;
  let beyond = events.length;
  while (within < beyond) {
    const middle = (within + beyond) >> 1;
    const event = events[middle];
    const index = event === undefined ? undefined : log.indexOf(leafOf(event));
    if (index !== undefined && index < size) within = middle + 1;
    else beyond = middle;
  }
  return within;
}

/**
 * The JSON texts of `EvidenceEntry`s, in the order of the events: each with its proof in the tree of
 * the first `size` leaves. What `isTold` denies is withheld: its revision and the hash of its leaf.
 *
 * @param events all of them within the tree
 */
export async function* entryTexts(
  events: readonly EventEnvelope[],
  log: Pick<TransparencyLog, 'indexOf' | 'inclusionProof'>,
  size: number,
  isTold: (type: string) => boolean,
): AsyncGenerator<string, void> {
  for (const [nth, event] of events.entries()) {
    if (nth % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) await nextTurn();
    const text = envelopeText(event);
    const leaf = leafHash(text);
    const index = log.indexOf(leaf);
    if (index === undefined) throw new Error(`event ${event.id} has left the tree of the log`);
    const inclusion = log.inclusionProof(index, size).map(encodeBase64Url);
    const placed = `"index":${String(index)},"inclusion":${JSON.stringify(inclusion)}`;
    yield isTold(event.type)
      ? `{${placed},"envelope":${text}}`
      : `{${placed},"revision":${String(event.revision)},"leafHash":"${encodeBase64Url(leaf)}"}`;
  }
}
