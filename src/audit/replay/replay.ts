import { envelopeCharacters } from '../../event-store/envelope-characters.js';
import type { EventStore, Position } from '../../event-store/port.js';
import type { Caller } from '../../kernel/caller.js';
import { asMessages, inBatches, type EventBatch } from './event-batches.js';
import type { DisclosedEvent, DisclosedEvents } from './disclosed-events.js';
import { eventsOfStream } from './events-of-stream.js';
import { engineFilter, isAudited, type ReplayQuery } from './replay-query.js';
import { AUDITED_STREAM_PREFIXES } from '../audited-streams.js';

export interface ReplayPage {
  readonly events: readonly DisclosedEvent[];
  /** How far was looked: the next page begins after it. */
  readonly through: Position;
  /** False: `through` is the end of the log as it was. */
  readonly isMore: boolean;
}

/** What one page may cost, whatever it finds. */
export interface PageBounds {
  /** Events looked at. */
  readonly examined: number;
  /** Characters of sealed texts and data in the page; the event that goes beyond is its last one. */
  readonly characters: number;
  /** Of work, after which the page ends with the batch that it is at. */
  readonly milliseconds: number;
}

const PAGE_BOUNDS: PageBounds = {
  examined: 10_000,
  characters: 4 * 1024 * 1024,
  milliseconds: 1_000,
};

/** What a follower is given: events, or the news that it has reached the head of the log. */
export interface Followed {
  readonly events: readonly DisclosedEvent[];
  readonly through: Position;
  readonly isAtHead: boolean;
}

/** The audited log, forwards from a position, as far as a reader may see it. */
export class Replay {
  constructor(
    private readonly store: EventStore,
    private readonly disclosed: DisclosedEvents,
    private readonly bounds: PageBounds = PAGE_BOUNDS,
  ) {}

  /**
   * One page. It ends after `limit` events, at the end of the log, or when it has cost enough: then it
   * may be short, or empty, and there is more.
   */
  async page(caller: Caller, query: ReplayQuery, limit: number): Promise<ReplayPage> {
    const ends = performance.now() + this.bounds.milliseconds;
    const disclose = this.disclosed.to(caller, query);
    const head = await this.store.head();
    const events: DisclosedEvent[] = [];
    let examined = 0;
    let characters = 0;
    for await (const batch of this.#batches(query)) {
      for (const event of await disclose(batch.events)) {
        events.push(event);
        characters += envelopeCharacters(event.envelope);
        if (events.length >= limit || characters >= this.bounds.characters) {
          return pageOf(events, event.envelope.position, head);
        }
      }
      examined += batch.events.length;
      const isEnough = examined >= this.bounds.examined || performance.now() >= ends;
      if (isEnough) return pageOf(events, batch.through, head);
    }
    const last = events.at(-1)?.envelope.position ?? head;
    return pageOf(events, last > head ? last : head, head);
  }

  /** Everything up to a head, then its end; memory stays flat. */
  async *export(
    caller: Caller,
    query: ReplayQuery,
    head: Position,
  ): AsyncGenerator<readonly DisclosedEvent[], undefined> {
    const disclose = this.disclosed.to(caller, query);
    const all = this.store.readAll(query.after, engineFilter(query));
    for await (const { events, through } of inBatches(asMessages(all))) {
      const wanted = events.filter(({ position }) => position <= head);
      yield await disclose(wanted);
      if (through >= head) return;
    }
  }

  /** Catch-up, then live, until the signal aborts. */
  async *follow(
    caller: Caller,
    query: ReplayQuery,
    signal: AbortSignal,
  ): AsyncGenerator<Followed, undefined> {
    const disclose = this.disclosed.to(caller, query);
    const messages = this.store.subscribeAll(query.after, { filter: engineFilter(query), signal });
    for await (const { events, through, isAtHead } of inBatches(messages)) {
      yield { events: await disclose(events), through, isAtHead };
    }
  }

  /** A page must know how far it has looked, so nothing but the audited set is left out for it. */
  #batches({ after, stream }: ReplayQuery): AsyncIterable<EventBatch> {
    const events =
      stream === undefined
        ? this.store.readAll(after, { streamPrefixes: AUDITED_STREAM_PREFIXES })
        : isAudited(stream)
          ? eventsOfStream(this.store, stream, after)
          : nothing();
    return inBatches(asMessages(events));
  }
}

async function* nothing(): AsyncGenerator<never, undefined> {}

function pageOf(events: readonly DisclosedEvent[], through: Position, head: Position): ReplayPage {
  return { events, through, isMore: through < head };
}
