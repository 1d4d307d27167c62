import { LRUCache } from 'lru-cache';
import type { EventStore, RecordedEnvelope } from '../../event-store/port.js';
import { subjectOfFirst, subjectOfName, type StreamSubject } from './domain/stream-subject.js';

/** Of a few words each. */
const REMEMBERED_STREAMS = 20_000;

/**
 * Whom streams concern, from the log itself: a view that is behind, or damaged, opens and hides
 * nothing. What was found is remembered, since a stream's first event never changes.
 */
export class StreamSubjects {
  readonly #known = new LRUCache<string, StreamSubject>({ max: REMEMBERED_STREAMS });

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  /** Of the stream of an event that has been read. */
  async of(event: RecordedEnvelope): Promise<StreamSubject> {
    const { stream, revision } = event;
    const named = subjectOfName(stream) ?? this.#known.get(stream);
    if (named !== undefined) return named;
    const first = revision === 0 ? event : (await this.store.readStream(stream, 0, 1))[0];
    const subject: StreamSubject =
      first === undefined ? { kind: 'unknown' } : subjectOfFirst(first);
    this.#known.set(stream, subject);
    return subject;
  }
}
