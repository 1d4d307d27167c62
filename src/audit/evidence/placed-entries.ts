import type { Position, RecordedEnvelope } from '../../event-store/port.js';
import { logFault } from '../../http/fault-log.js';
import { encodeBase64Url } from '../../kernel/base64url.js';
import { envelopeText, type EventEnvelope } from '../../kernel/envelope.js';
import { leafHash } from '../../kernel/merkle.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { TimeSlice } from '../../threads/let-others-run.js';
import type { TransparencyLog } from '../queries/transparency-log.js';
import type { IsTold } from './told-to.js';

/** Where the events of one stream end that are within a tree. */
export interface Within {
  readonly count: number;
  /** Undefined when there is none. */
  readonly last: { readonly position: Position; readonly index: number } | undefined;
}

/** Events of one stream in their order, as they are read: none is kept beyond its page. */
export type EventPages = AsyncIterable<readonly RecordedEnvelope[]>;

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
 * @param pages from the stream's first event on
 */
export async function countWithin(
  pages: EventPages,
  log: Pick<TransparencyLog, 'indexOf' | 'position' | 'size'>,
  size: number,
): Promise<Result<Within, Rejection>> {
  // Before any leaf is looked for, and before any event is read: the tree grows meanwhile.
  const seen = log.position();
  if (log.size() < size) return err({ code: 'checkpoint-behind' });
  let count = 0;
  let last: Within['last'];
  const slice = new TimeSlice();
  for await (const events of pages) {
    for (const event of events) {
      await slice.next();
      const index = log.indexOf(leafOf(event));
      const isLost = index === undefined && event.position <= seen;
      if (isLost || event.revision !== count) {
        const place = `${event.stream} ${String(count)}`;
        logFault(
          new Error(`what is stored as ${place} is not what the log's tree holds`),
          'evidence',
        );
        return err({ code: 'log-inconsistent' });
      }
      if (index === undefined || index >= size) return ok({ count, last });
      last = { position: event.position, index };
      count++;
    }
  }
  return ok({ count, last });
}

/**
 * The JSON texts of `EvidenceEntry`s, in the order of the events: each with its proof in the tree of
 * the first `size` leaves. What `isTold` denies is withheld: its revision and the hash of its leaf.
 *
 * @param pages of events all of which are within the tree
 */
export async function* entryTexts(
  pages: AsyncIterable<readonly EventEnvelope[]>,
  log: Pick<TransparencyLog, 'indexOf' | 'inclusionProofs'>,
  size: number,
  isTold: IsTold,
): AsyncGenerator<string, void> {
  const proofOf = log.inclusionProofs(size);
  const slice = new TimeSlice();
  for await (const events of pages) {
    for (const event of events) {
      await slice.next();
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
}

/** As many as were counted. @throws at the end of fewer: what is sent says by breaking off that it is not whole */
export async function* exactly(
  count: number,
  entries: AsyncIterable<string>,
): AsyncGenerator<string, void> {
  let sent = 0;
  for await (const entry of entries) {
    yield entry;
    sent++;
  }
  if (sent !== count) throw new Error('the log has lost an event since its stream was counted');
}

/** The place of an event that the tree was seen to hold. @throws when the tree has lost it since */
function indexIn(log: Pick<TransparencyLog, 'indexOf'>, leaf: Uint8Array): number {
  const index = log.indexOf(leaf);
  if (index === undefined) throw new Error('the tree of the log has lost an event');
  return index;
}
