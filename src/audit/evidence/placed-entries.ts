import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEnvelope } from '../../event-store/port.js';
import { logFault } from '../../http/fault-log.js';
import { encodeBase64Url } from '../../kernel/base64url.js';
import { envelopeText, type EventEnvelope } from '../../kernel/envelope.js';
import { leafHash } from '../../kernel/merkle.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { TransparencyLog } from '../queries/transparency-log.js';
import type { IsTold } from './told-to.js';

/** For so long entries are proved before others get their turn: some hundred thousand may be in a stream. */
const TURN_MS = 5;

class Turn {
  #ends = performance.now() + TURN_MS;

  /** Lets others have theirs when this one is over. */
  async next(): Promise<void> {
    if (performance.now() < this.#ends) return;
    await nextTurn();
    this.#ends = performance.now() + TURN_MS;
  }
}

/** The leaf of an event: what the log's tree holds of it. */
export function leafOf(envelope: EventEnvelope): Uint8Array {
  return leafHash(envelopeText(envelope));
}

/**
 * How many of a stream's leading events are within the first `size` leaves: all before the first that
 * comes later in the log. Evidence that ends earlier would be good evidence of an older state, so an
 * event that should be a leaf and is none is never taken for a later one.
 *
 * Refuses with `log-inconsistent` (a stored event was changed or taken away) and `checkpoint-behind`
 * (the tree is being made anew).
 *
 * @param events of one stream, from its first
 */
export async function countWithin(
  events: readonly RecordedEnvelope[],
  log: Pick<TransparencyLog, 'indexOf' | 'position' | 'size'>,
  size: number,
): Promise<Result<number, Rejection>> {
  // Before any leaf is looked for: the tree grows meanwhile.
  const position = log.position();
  if (log.size() < size) return err({ code: 'checkpoint-behind' });
  const turn = new Turn();
  for (const [revision, event] of events.entries()) {
    await turn.next();
    const index = log.indexOf(leafOf(event));
    const isLost = index === undefined && event.position <= position;
    if (isLost || event.revision !== revision) {
      const place = `${event.stream} ${String(revision)}`;
      logFault(
        new Error(`what is stored as ${place} is not what the log's tree holds`),
        'evidence',
      );
      return err({ code: 'log-inconsistent' });
    }
    if (index === undefined || index >= size) return ok(revision);
  }
  return ok(events.length);
}

/**
 * The JSON texts of `EvidenceEntry`s, in the order of the events: each with its proof in the tree of
 * the first `size` leaves. What `isTold` denies is withheld: its revision and the hash of its leaf.
 *
 * @param events all of them within the tree
 */
export async function* entryTexts(
  events: readonly EventEnvelope[],
  log: Pick<TransparencyLog, 'indexOf' | 'inclusionProofs'>,
  size: number,
  isTold: IsTold,
): AsyncGenerator<string, void> {
  const proofOf = log.inclusionProofs(size);
  const turn = new Turn();
  for (const event of events) {
    await turn.next();
    const text = envelopeText(event);
    const leaf = leafHash(text);
    const index = indexIn(log, leaf);
    const inclusion = proofOf(index).map(encodeBase64Url);
    const placed = `"index":${String(index)},"inclusion":${JSON.stringify(inclusion)}`;
    yield isTold(event)
      ? `{${placed},"envelope":${text}}`
      : `{${placed},"revision":${String(event.revision)},"leafHash":"${encodeBase64Url(leaf)}"}`;
  }
}

/** The place of an event that the tree was seen to hold. @throws when the tree has lost it since */
export function indexIn(log: Pick<TransparencyLog, 'indexOf'>, leaf: Uint8Array): number {
  const index = log.indexOf(leaf);
  if (index === undefined) throw new Error('the tree of the log has lost an event');
  return index;
}
