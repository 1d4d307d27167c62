import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countedAs, tenantCountedAs } from '../kernel/caller.js';
import type { TurnHolder } from '../kernel/fair-turns.js';
import { AnswerBudget, type AnswerHolder, type AnswerLimits } from './answer-budget.js';
import { AnswerQueue, type QueueLimits } from './answer-queue.js';
import { framedText, type FramedJson } from './framed-json.js';
import { isBeyond } from './json-size.js';
import { LargeJson } from './large-json.js';
import { RejectionException } from './rejection-exception.js';
import { notesOf } from './request-context.js';
import { isShared } from './shared-answers.js';

/** Smaller answers fit into the buffers of a connection, and are not counted. */
export const LARGE_ANSWER_BYTES = 64 * 1024;

/** What belongs to the answer that is refused, and not to the refusal. */
const OF_THE_ANSWER = ['etag', 'last-modified', 'content-disposition', 'content-length'] as const;

/** So large values are written one after the other: many at once would hold up everybody for seconds. */
const QUEUED_CHARACTERS = 1024 * 1024;

/** Answers that wait to be made. */
const QUEUE: QueueLimits = { perTenant: 128, perCaller: 32 };

/** A text that counts as kept until it is released. */
export interface HeldText {
  readonly pieces: readonly (string | Buffer)[];
  /** To be called when the client has it, or is gone. */
  release(): void;
}

/** Of the servers that are watched. */
const WATCHING = new WeakMap<FastifyInstance['server'], UnreadAnswers>();

/** @throws {TypeError} when nobody watches what the server of this reply keeps for its clients */
export function answersOf(reply: FastifyReply): UnreadAnswers {
  const answers = WATCHING.get(reply.server.server);
  if (answers === undefined) throw new TypeError('the answers of this server are not bounded');
  return answers;
}

/**
 * Bounds the memory of large answers that clients have asked for and do not take: each is kept until
 * the system has sent it on, or the connection ends. Without room a further one is refused, and a
 * stream ends. What is shared by all takes no memory of its own.
 */
export class UnreadAnswers {
  readonly #budget: AnswerBudget;
  readonly #queue = new AnswerQueue(QUEUE);
  readonly #texts = new LargeJson();

  constructor(limits: AnswerLimits) {
    this.#budget = new AnswerBudget(limits);
  }

  watch(fastify: FastifyInstance): void {
    WATCHING.set(fastify.server, this);
    fastify.addHook('onSend', (request, reply, payload, done) => {
      const size = sizeOf(payload);
      if (size <= LARGE_ANSWER_BYTES || request.method === 'HEAD' || reply.raw.destroyed) done();
      else this.#admit(request, reply, payload as string | Buffer, done);
    });
  }

  /**
   * Makes the text of an answer, a large one in turn.
   * @throws {RejectionException} `too-many-streams`: there is no room for it, or too many of them wait
   */
  async text(request: FastifyRequest, framed: FramedJson): Promise<string | Buffer> {
    const { before, value, after } = framed;
    if (!isBeyond(value, QUEUED_CHARACTERS)) {
      this.judge(request, value);
      return framedText(framed);
    }
    const bytes = await this.#inTurn(request, value, (json) => json);
    return before === '' && after === ''
      ? bytes
      : Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
  }

  /**
   * Makes the text of one event of a stream, and holds it: for a hijacked reply, of which nobody else
   * knows what is written.
   * @throws {RejectionException} as {@link text}
   */
  async hold(request: FastifyRequest, framed: FramedJson): Promise<HeldText> {
    const { before, value, after } = framed;
    // Most events are small, and are looked through once.
    const isLarge = isBeyond(value, LARGE_ANSWER_BYTES);
    if (isLarge && isBeyond(value, QUEUED_CHARACTERS)) {
      return await this.#inTurn(request, value, (json) =>
        this.#held(request, [Buffer.from(before), json, Buffer.from(after)]),
      );
    }
    if (isLarge) this.judge(request, value);
    const text = framedText(framed);
    // Characters may be several bytes each.
    if (3 * text.length <= LARGE_ANSWER_BYTES) return { pieces: [text], release: () => undefined };
    return this.#held(request, [Buffer.from(text)]);
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

  /** @param use called within the turn, so that nothing large is made that is not counted yet */
  async #inTurn<T>(request: FastifyRequest, value: object, use: (json: Buffer) => T): Promise<T> {
    const holder = holderOf(request);
    // Whoever leaves so much unread need not wait for the same answer.
    if (this.#budget.room(holder) < QUEUED_CHARACTERS) throw refused();
    const made = await this.#queue.inTurn(queuedFor(holder), async () => {
      if (request.raw.socket.destroyed) return undefined;
      const json = await this.#texts.bytesOf(value, this.#budget.room(holder));
      return json === undefined ? undefined : { used: use(json) };
    });
    if (made === undefined) throw refused();
    return made.used;
  }

  #held(request: FastifyRequest, pieces: readonly Buffer[]): HeldText {
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    if (bytes <= LARGE_ANSWER_BYTES) return { pieces, release: () => undefined };
    const release = this.#budget.hold(holderOf(request), bytes);
    if (release === undefined) throw refused();
    return { pieces, release };
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
    : { kind: 'caller', tenant: tenantCountedAs(caller), key: countedAs(caller) };
}

function queuedFor(holder: AnswerHolder): TurnHolder {
  switch (holder.kind) {
    case 'caller':
      return { tenant: holder.tenant, caller: holder.key };
    case 'anonymous':
      return { tenant: '', caller: holder.address };
  }
}
