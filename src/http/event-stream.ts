import type { FastifyReply } from 'fastify';
import { drained } from './drained.js';

export interface EventStreamTiming {
  /** A comment goes out so often, so that proxies and clients do not take silence for death. */
  readonly keepAliveMs: number;
  /** A client that takes nothing for so long is cut off; it may come back with `Last-Event-ID`. */
  readonly stallMs: number;
}

export const EVENT_STREAM_TIMING: EventStreamTiming = { keepAliveMs: 15_000, stallMs: 60_000 };

/** One server-sent event. */
export interface ServerSentEvent {
  /** Where a client goes on from; undefined leaves it where it was. */
  readonly id: string | undefined;
  /** Undefined for an ordinary one. */
  readonly type: string | undefined;
  /** One line. */
  readonly data: string;
}

/** How what a source gives, or throws, is written. */
export interface StreamForm<Item> {
  event(item: Item): ServerSentEvent;
  fault(error: unknown): ServerSentEvent;
}

/**
 * Answers with server-sent events (HTML, section 9.2). The head goes out at once; each event is
 * asked for only when the client has room for it, so that a slow client costs no memory; what is
 * thrown in between becomes a last event.
 * @param signal aborted when the client is gone or the node stops; the source must end with it
 */
export async function sendEvents<Item>(
  reply: FastifyReply,
  items: AsyncIterable<Item>,
  form: StreamForm<Item>,
  signal: AbortSignal,
  timing: EventStreamTiming = EVENT_STREAM_TIMING,
): Promise<void> {
  reply.header('content-type', 'text/event-stream; charset=utf-8');
  reply.header('cache-control', 'no-store, no-transform');
  // Nginx and its kin would hold events back.
  reply.header('x-accel-buffering', 'no');
  const response = reply.raw;
  reply.hijack();
  response.writeHead(200, reply.getHeaders() as Record<string, string>);
  response.flushHeaders();
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': keep-alive\n\n');
  }, timing.keepAliveMs);
  try {
    for await (const item of items) {
      if (signal.aborted) return;
      const text = eventText(form.event(item));
      if (!response.write(text)) await drained(response, signal, timing.stallMs);
    }
  } catch (error) {
    if (signal.aborted) return;
    response.write(eventText(form.fault(error)));
  } finally {
    clearInterval(keepAlive);
    // Who does not read would hold up the end of a node for ever.
    if (signal.aborted && response.writableNeedDrain) response.destroy();
    else response.end();
  }
}

function eventText({ id, type, data }: ServerSentEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  const typeLine = type === undefined ? '' : `event: ${type}\n`;
  return `${idLine}${typeLine}data: ${data}\n\n`;
}
