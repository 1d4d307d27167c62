import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../kernel/timestamp.js';
import { LARGE_ANSWER_BYTES, sizeOf } from './unread-answers.js';

/** How long the clients of a node may take over their answers. */
export interface ReadingPatience {
  /** A client that takes nothing of an answer for so long is cut off, in milliseconds. */
  readonly stallMs: number;
  /** All of a large answer is taken within this time, in milliseconds. */
  readonly totalMs: number;
  /** While all connections together keep more bytes, a client that takes nothing is cut off at once. */
  readonly bytes: number;
}

/** How often connections are looked at while one of them may stall. */
const LOOKS_PER_STALL = 15;

/**
 * Ends the connections of clients that do not take their answers: each is kept in memory until the
 * client has it. Streams of events and of lines have limits of their own; while all connections together
 * keep too much, they end like all others.
 *
 * @param monotonic milliseconds on a clock that nobody sets
 */
export function dropSlowReaders(
  fastify: FastifyInstance,
  patience: ReadingPatience,
  monotonic: Clock,
): void {
  const connections = new Map<Socket, Reading>();
  const readingOn = (socket: Socket): Reading => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const reading = new Reading(socket);
    connections.set(socket, reading);
    socket.once('close', () => connections.delete(socket));
    return reading;
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    // An answer that is no stream begins anew below.
    if (!socket.destroyed) readingOn(socket).stream(reply.raw);
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    const { socket } = reply.raw;
    const size = sizeOf(payload);
    // What comes in pieces may wait for its source, not for its client.
    if (socket !== null && !socket.destroyed && size > 0) {
      const isLarge = size > LARGE_ANSWER_BYTES;
      const deadline = isLarge ? monotonic() + patience.totalMs : Number.POSITIVE_INFINITY;
      readingOn(socket).begin(reply.raw, deadline);
    }
    done();
  });
  let isCrowded = false;
  const looks = setInterval(() => {
    const now = monotonic();
    let kept = 0;
    for (const [socket, reading] of connections) {
      if (reading.isOver(now, patience.stallMs, isCrowded)) socket.destroy();
      else kept += socket.writableLength;
    }
    isCrowded = kept > patience.bytes;
  }, patience.stallMs / LOOKS_PER_STALL).unref();
  fastify.addHook('onClose', (_instance, done) => {
    clearInterval(looks);
    done();
  });
}

/** How the client of one connection takes the answer that it is being sent. */
class Reading {
  #answer: ServerResponse | undefined;
  #deadline = Number.POSITIVE_INFINITY;
  #isStream = false;
  #left = 0;
  #since = 0;

  constructor(private readonly socket: Socket) {}

  /** An answer of which nothing is known but what is kept of it. */
  stream(answer: ServerResponse): void {
    this.begin(answer, Number.POSITIVE_INFINITY);
    this.#isStream = true;
  }

  begin(answer: ServerResponse, deadline: number): void {
    this.#answer = answer;
    this.#deadline = deadline;
    this.#isStream = false;
    this.#left = -1;
  }

  /**
   * @param stallMs for how long the client may have taken nothing
   * @param isCrowded since the look before is too long then
   */
  isOver(now: number, stallMs: number, isCrowded: boolean): boolean {
    if (this.#answer === undefined) return false;
    if (this.#answer.writableFinished) {
      this.#answer = undefined;
      return false;
    }
    if (now >= this.#deadline) return true;
    const left = bytesLeft(this.socket);
    if (left !== this.#left) {
      this.#left = left;
      this.#since = now;
      return false;
    }
    if (!this.#isStream) return now - this.#since >= (isCrowded ? 0 : stallMs);
    // With nothing left it waits for its source, not for its client.
    return isCrowded && left > 0;
  }
}

/**
 * Bytes that the system has not taken over yet. A socket itself counts only whole writes, and an
 * answer is one; its handle counts bytes, which is how node itself tells a slow connection from a dead one.
 */
function bytesLeft(socket: Socket): number {
  const handle = (socket as { _handle?: { writeQueueSize?: number } | null })._handle;
  return handle?.writeQueueSize ?? socket.writableLength;
}
