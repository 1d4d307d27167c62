import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AnswerBudget, type AnswerHolder, type AnswerLimits } from './answer-budget.js';
import { isBeyond } from './json-size.js';
import { ownerKey } from './open-streams.js';
import { RejectionException } from './rejection-exception.js';
import { notesOf } from './request-context.js';
import { isShared } from './shared-answers.js';

/** Smaller answers fit into the buffers of a connection, and are not counted. */
export const LARGE_ANSWER_BYTES = 64 * 1024;

/** What belongs to the answer that is refused, and not to the refusal. */
const OF_THE_ANSWER = ['etag', 'last-modified', 'content-disposition', 'content-length'] as const;

/**
 * Bounds the memory of large answers that clients have asked for and do not take: each is kept until
 * the system has sent it on, or the connection ends. Without room a further one is refused. Streams
 * ask for more only when the client has room, and what is shared by all takes no memory of its own.
 */
export class UnreadAnswers {
  readonly #budget: AnswerBudget;

  constructor(limits: AnswerLimits) {
    this.#budget = new AnswerBudget(limits);
  }

  watch(fastify: FastifyInstance): void {
    fastify.addHook('onSend', (request, reply, payload, done) => {
      const size = sizeOf(payload);
      if (size <= LARGE_ANSWER_BYTES || request.method === 'HEAD' || reply.raw.destroyed) done();
      else this.#admit(request, reply, payload as string | Buffer, done);
    });
  }

  /**
   * Judges an answer before its text is made. It costs nothing while its caller has taken all else.
   * @param value what the answer will be the JSON of
   * @throws {RejectionException} `too-many-streams`
   */
  judge(request: FastifyRequest, value: object): void {
    const room = this.#budget.room(holderOf(request));
    if (room === Number.POSITIVE_INFINITY) return;
    if (isBeyond(value, Math.max(room, LARGE_ANSWER_BYTES))) throw refused();
  }

  #admit(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: string | Buffer,
    done: (error: Error | null, payload?: Buffer) => void,
  ): void {
    if (typeof payload !== 'string' && isShared(payload)) {
      done(null, payload);
      return;
    }
    const release = this.#budget.hold(holderOf(request), Buffer.byteLength(payload));
    if (release === undefined) {
      for (const name of OF_THE_ANSWER) reply.removeHeader(name);
      reply.header('cache-control', 'no-store');
      done(refused());
      return;
    }
    reply.raw.once('close', release);
    // A string would be kept besides its bytes.
    done(null, typeof payload === 'string' ? Buffer.from(payload) : payload);
  }
}

function refused(): RejectionException {
  return new RejectionException({ code: 'too-many-streams' });
}

/** A lower bound in bytes for texts, 0 for what comes in pieces. */
export function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || payload instanceof Uint8Array ? payload.length : 0;
}

function holderOf(request: FastifyRequest): AnswerHolder {
  const caller = notesOf(request)?.caller;
  return caller === undefined
    ? { kind: 'anonymous', address: request.ip }
    : { kind: 'caller', key: ownerKey(caller) };
}
