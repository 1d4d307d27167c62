import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { TaskEvent } from '../tasks/port.js';
import type { StreamResponse } from '../wire/types.js';

export interface EventStreamTiming {
  /** A comment goes out so often, so that proxies and clients do not take silence for death. */
  readonly keepAliveMs: number;
  /** A client that takes nothing for so long is cut off; it may come back with `Last-Event-ID`. */
  readonly stallMs: number;
}

export const EVENT_STREAM_TIMING: EventStreamTiming = { keepAliveMs: 15_000, stallMs: 60_000 };

/** How a binding writes what it says in a stream: each text is the `data` of one event, a line of JSON. */
export interface StreamForm {
  event(response: StreamResponse): string;
  /** With the type of the event, undefined for an ordinary one. */
  fault(error: unknown): { readonly type: string | undefined; readonly data: string };
}

/**
 * Answers with server-sent events (HTML, section 9.2). The head goes out at once; each event is
 * asked for only when the client has room for it, so that a slow client costs no memory; what is
 * thrown in between becomes a last event.
 * @param signal aborted when the client is gone or the node stops; the source must end with it
 */
export async function sendEvents(
  reply: FastifyReply,
  events: AsyncIterable<TaskEvent>,
  form: StreamForm,
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
    for await (const { id, response: content } of events) {
      if (signal.aborted) return;
      const text = `id: ${id}\ndata: ${form.event(content)}\n\n`;
      if (!response.write(text)) await drained(response, signal, timing.stallMs);
    }
  } catch (error) {
    if (signal.aborted) return;
    const { type, data } = form.fault(error);
    response.write(`${type === undefined ? '' : `event: ${type}\n`}data: ${data}\n\n`);
  } finally {
    clearInterval(keepAlive);
    // Who does not read would hold up the end of a node for ever.
    if (signal.aborted && response.writableNeedDrain) response.destroy();
    else response.end();
  }
}

/** Resolves when the client has taken what was written; a client that does not is cut off. */
async function drained(
  response: ServerResponse,
  signal: AbortSignal,
  stallMs: number,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const stalled = setTimeout(() => {
      response.destroy();
      finish();
    }, stallMs);
    const finish = (): void => {
      clearTimeout(stalled);
      response.off('drain', finish);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    response.on('drain', finish);
    signal.addEventListener('abort', finish);
    if (signal.aborted) finish();
  });
}
