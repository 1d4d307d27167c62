import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/tokens.js';
import type { Position } from '../../event-store/port.js';
import { CLOUD_EVENTS_BATCH } from '../../http/cloud-event.js';
import { EVENT_STREAM_TIMING, sendEvents, type StreamForm } from '../../http/event-stream.js';
import { logFault } from '../../http/fault-log.js';
import { bare } from '../../http/framed-json.js';
import { sendLines } from '../../http/ndjson.js';
import { POSITION_TOKEN_HEADER } from '../../http/position-token.js';
import { problemOf } from '../../http/problem.js';
import { refusalOf } from '../../http/refusal.js';
import type { RequestContext } from '../../http/request-context.js';
import { TimeSlice } from '../../threads/let-others-run.js';
import type { DisclosedEvent } from './disclosed-events.js';
import { replayedEvent } from './dto/replayed-event.js';
import { Replay, type ReplayPage } from './replay.js';
import { ReplayPages } from './replay-pages.js';
import type { ReplayQuery } from './replay-query.js';
import { ReplayStreams } from './replay-streams.js';

const PATH = '/v1/events';

/** What a live stream tells: an event, or once that it has reached the head of the log. */
type Told = { readonly event: DisclosedEvent } | { readonly caughtUpAt: Position };

/** The three forms of a replay, as HTTP. */
@Injectable()
export class ReplayAnswers {
  constructor(
    private readonly replay: Replay,
    private readonly streams: ReplayStreams,
    private readonly pages: ReplayPages,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * @param asked the parameters of the request, for the link to the next page
   * @throws {RejectionException} `too-many-streams`
   */
  async page(
    reply: FastifyReply,
    { caller }: RequestContext,
    query: ReplayQuery,
    limit: number,
    asked: URLSearchParams,
  ): Promise<void> {
    await this.pages.hold(caller, reply, async () => {
      const page: ReplayPage = await this.replay.page(caller, query, limit);
      const text = await this.#pageText(page);
      reply.header('content-type', `${CLOUD_EVENTS_BATCH}; charset=utf-8`);
      reply.header(POSITION_TOKEN_HEADER, page.through);
      if (page.isMore) {
        asked.set('after', page.through);
        reply.header('link', `<${PATH}?${asked.toString()}>; rel="next"`);
      }
      void reply.send(text);
    });
  }

  /** Ends by itself only with a last event `problem`: what the store cannot give. */
  async live(reply: FastifyReply, request: RequestContext, query: ReplayQuery): Promise<void> {
    const { signal, close } = this.streams.open(request.caller, reply);
    try {
      const told = this.#told(request, query, signal);
      await sendEvents(reply, told, this.#form(request), signal, EVENT_STREAM_TIMING);
    } finally {
      close();
    }
  }

  /** @param head where it ends */
  async export(
    reply: FastifyReply,
    { caller, correlationId }: RequestContext,
    query: ReplayQuery,
    head: Position,
  ): Promise<void> {
    const { signal, close } = this.streams.open(caller, reply);
    try {
      reply.header(POSITION_TOKEN_HEADER, head);
      const lines = this.#lines(this.replay.export(caller, query, head));
      await sendLines(reply, lines, signal, EVENT_STREAM_TIMING.stallMs);
    } catch (error) {
      // The answer is under way: it was broken off, and the reason is for the operator.
      logFault(error, correlationId);
    } finally {
      close();
    }
  }

  async *#told(
    { caller }: RequestContext,
    query: ReplayQuery,
    signal: AbortSignal,
  ): AsyncGenerator<Told, undefined> {
    let isCaughtUp = false;
    for await (const { events, through, isAtHead } of this.replay.follow(caller, query, signal)) {
      for (const event of events) yield { event };
      if (isAtHead && !isCaughtUp) yield { caughtUpAt: through };
      isCaughtUp ||= isAtHead;
    }
  }

  #form({ correlationId }: RequestContext): StreamForm<Told> {
    return {
      event: (told) =>
        'event' in told
          ? {
              id: told.event.envelope.position,
              type: undefined,
              data: bare(this.#shown(told.event)),
            }
          : { id: told.caughtUpAt, type: 'caught-up', data: bare({}) },
      fault: (error) => {
        const { rejection, isFault } = refusalOf(error);
        if (isFault) logFault(error, correlationId);
        const { publicBaseUrl } = this.config;
        const problem = problemOf(rejection, { publicBaseUrl, instance: PATH, correlationId });
        return { id: undefined, type: 'problem', data: JSON.stringify(problem) };
      },
    };
  }

  async *#lines(
    batches: AsyncIterable<readonly DisclosedEvent[]>,
  ): AsyncGenerator<string, undefined> {
    for await (const batch of batches) {
      yield batch.map((event) => `${this.#text(event)}\n`).join('');
    }
  }

  /** Piece by piece: others have their turn while a large page is written. */
  async #pageText({ events }: ReplayPage): Promise<string> {
    const texts: string[] = [];
    const slice = new TimeSlice();
    for (const event of events) {
      await slice.next();
      texts.push(this.#text(event));
    }
    return `[${texts.join(',')}]`;
  }

  #text(event: DisclosedEvent): string {
    return JSON.stringify(this.#shown(event));
  }

  #shown(event: DisclosedEvent): object {
    return replayedEvent(event, this.config.publicBaseUrl);
  }
}
