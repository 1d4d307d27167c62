import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { drained } from './drained.js';
import type { FramedJson } from './framed-json.js';
import { answersOf, type HeldText } from './unread-answers.js';

export interface EventStreamTiming {
  /** A comment goes out so often, so that proxies and clients do not take silence for death. */
  readonly keepAliveMs: number;
  /** A client that takes nothing for so long is cut off; it may come back with `Last-Event-ID`. */
  readonly stallMs: number;
}

export const EVENT_STREAM_TIMING: EventStreamTiming = { keepAliveMs: 15_000, stallMs: 60_000 };

/** One server-sent event. */
export interface ServerSentEvent<Data> {
  /** Where a client goes on from; undefined leaves it where it was. */
  readonly id: string | undefined;
  /** Undefined for an ordinary one. */
  readonly type: string | undefined;
  readonly data: Data;
}

/** How what a source gives, or throws, is written. */
export interface StreamForm<Item> {
  event(item: Item): ServerSentEvent<FramedJson>;
  /** Its data is one line. */
  fault(error: unknown): ServerSentEvent<string>;
}

/**
 * Answers with server-sent events (HTML, section 9.2). The head goes out at once; each event is
 * asked for only when the client has room for it, and a large one is among what the node keeps for
 * slow clients: without room for it, the stream ends. What is thrown in between becomes a last event.
 * @param signal aborted when the client is gone or the node stops; the source must end with it
 */
export async function sendEvents<Item>(
  reply: FastifyReply,
  items: AsyncIterable<Item>,
  form: StreamForm<Item>,
  signal: AbortSignal,
  timing: EventStreamTiming = EVENT_STREAM_TIMING,
): Promise<void> {
  const answers = answersOf(reply);
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
  const source = items[Symbol.asyncIterator]();
  // A call for each, so that the last item, which may be large, is not held until the next one comes.
  const sendNext = async (): Promise<boolean> => {
    const next = await source.next();
    if (next.done === true || signal.aborted) return false;
    const held = await answers.hold(reply.request, framedEvent(form.event(next.value)));
    await sendHeld(response, held, signal, timing.stallMs);
    return true;
  };
  try {
    while (await sendNext());
  } catch (error) {
    if (signal.aborted) return;
    const { data, ...fields } = form.fault(error);
    response.write(`${fieldsOf(fields)}${data}\n\n`);
  } finally {
    clearInterval(keepAlive);
    await source.return?.();
    // Who does not read would hold up the end of a node for ever.
    if (signal.aborted && response.writableNeedDrain) response.destroy();
    else response.end();
  }
}

async function sendHeld(
  response: ServerResponse,
  held: HeldText,
  signal: AbortSignal,
  stallMs: number,
): Promise<void> {
  try {
    let hasRoom = true;
    for (const piece of held.pieces) hasRoom = response.write(piece);
    if (!hasRoom) await drained(response, signal, stallMs);
  } finally {
    held.release();
  }
}

function framedEvent({ data, ...fields }: ServerSentEvent<FramedJson>): FramedJson {
  const { before, value, after } = data;
  return { before: `${fieldsOf(fields)}${before}`, value, after: `${after}\n\n` };
}

function fieldsOf({ id, type }: Omit<ServerSentEvent<never>, 'data'>): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  const typeLine = type === undefined ? '' : `event: ${type}\n`;
  return `${idLine}${typeLine}data: `;
}
