import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
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
 * client has it. Streams of events and of lines have rules of their own.
 */
export function dropSlowReaders(fastify: FastifyInstance, patience: ReadingPatience): void {
  const connections = new Map<Socket, Reading>();
  const readingOn = (socket: Socket): Reading => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const reading = new Reading(socket);
    connections.set(socket, reading);
    socket.once('close', () => connections.delete(socket));
    return reading;
  };
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    const { socket } = reply.raw;
    const size = sizeOf(payload);
    // What comes in pieces may wait for its source, not for its client.
    if (socket !== null && !socket.destroyed && size > 0) {
      const isLarge = size > LARGE_ANSWER_BYTES;
      const deadline = isLarge ? Date.now() + patience.totalMs : Number.POSITIVE_INFINITY;
      readingOn(socket).begin(reply.raw, deadline);
    }
    done();
  });
  let isCrowded = false;
  const looks = setInterval(() => {
    const now = Date.now();
    let kept = 0;
    for (const [socket, reading] of connections) {
      if (reading.isOver(now, isCrowded ? 0 : patience.stallMs)) socket.destroy();
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
  #left = 0;
  #since = 0;

  constructor(private readonly socket: Socket) {}

  begin(answer: ServerResponse, deadline: number): void {
    this.#answer = answer;
    this.#deadline = deadline;
    this.#left = -1;
  }

  /** @param stallMs for how long the client may have taken nothing, since the look before at least */
  isOver(now: number, stallMs: number): boolean {
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
    return now - this.#since >= stallMs;
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
